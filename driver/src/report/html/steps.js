  // Steps through the events of a page that is complete without it: selects one, shows its line of the source, its calls
  // and the locks held. Text is only set as text; elements are those of the page.
  const findings = [...document.querySelectorAll(".finding")].map((section) => ({
    section,
    events: [...section.querySelectorAll(".event")],
    at: 0,
  }));
  if (!findings.some(({ events }) => events.length > 0)) return;
  let current = findings[0];

  /** Scrolls a pane, and nothing else, so that the element in it is seen. */
  function reveal(pane, element, margin) {
    const inner = element.getBoundingClientRect();
    const outer = pane.getBoundingClientRect();
    const [right, bottom] = [outer.left + pane.clientWidth, outer.top + pane.clientHeight];
    if (inner.top < outer.top + margin) pane.scrollTop -= outer.top + margin - inner.top;
    if (inner.bottom > bottom - margin) pane.scrollTop += inner.bottom - bottom + margin;
    if (inner.left < outer.left) pane.scrollLeft -= outer.left - inner.left;
    if (inner.right > right) pane.scrollLeft += Math.min(inner.right - right, inner.left - outer.left);
  }

  function deselect({ section, events }) {
    for (const element of section.querySelectorAll("[aria-current]")) element.removeAttribute("aria-current");
    for (const element of section.querySelectorAll(".related")) element.classList.remove("related");
    for (const event of events) event.tabIndex = -1;
  }

  function showLine(section, event) {
    const line = event.dataset.line && document.getElementById(event.dataset.line);
    if (!line) return;
    line.setAttribute("aria-current", "true");
    const pane = section.querySelector(".source");
    reveal(pane, line, pane.clientHeight / 4);
  }

  function showCalls(section, event) {
    const list = event.dataset.stack && document.getElementById(event.dataset.stack);
    const shown = list ? [...list.cloneNode(true).children] : [];
    section.querySelector(".calls-now").replaceChildren(...shown);
  }

  function showLocks(section, event) {
    section.querySelector(".event-line").textContent = event.title;
    const held = event.dataset.held ? event.dataset.held.split("\n") : ["none"];
    const items = held.map((text) => {
      const item = document.createElement("li");
      item.textContent = text;
      return item;
    });
    section.querySelector(".locks").replaceChildren(...items);
    section.querySelector(".now").hidden = false;
  }

  function showArrows(section, number) {
    for (const edge of section.querySelectorAll(".edge, .tip[data-from]")) {
      const { from, to } = edge.dataset;
      edge.classList.toggle("related", Number(from) === number || Number(to) === number);
    }
  }

  /** Selects an event of a finding; the window follows, and the focus, if the user asked for that. */
  function select(finding, at, follows = {}) {
    current = finding;
    const { section, events } = finding;
    if (events.length === 0) return;
    finding.at = Math.max(0, Math.min(at, events.length - 1));
    const event = events[finding.at];
    deselect(finding);
    event.setAttribute("aria-current", "step");
    event.tabIndex = 0;
    if (follows.focus) event.focus({ preventScroll: true });
    if (follows.window) section.querySelector(".panes").scrollIntoView({ block: "nearest" });
    reveal(section.querySelector(".timeline"), event, 60);
    showCalls(section, event);
    showLocks(section, event);
    showLine(section, event);
    showArrows(section, Number(event.dataset.row));
  }

  function go(by) {
    const index = findings.indexOf(current) + by;
    if (index < 0 || index >= findings.length) return;
    current = findings[index];
    current.section.scrollIntoView();
    if (current.events.length > 0) select(current, current.at, asked);
    else current.section.focus({ preventScroll: true });
  }

  const asked = { focus: true, window: true };
  const keys = {
    ArrowDown: () => select(current, current.at + 1, asked),
    ArrowRight: () => select(current, current.at + 1, asked),
    j: () => select(current, current.at + 1, asked),
    ArrowUp: () => select(current, current.at - 1, asked),
    ArrowLeft: () => select(current, current.at - 1, asked),
    k: () => select(current, current.at - 1, asked),
    Home: () => select(current, 0, asked),
    End: () => select(current, Infinity, asked),
    n: () => go(1),
    p: () => go(-1),
  };

  document.addEventListener("keydown", (key) => {
    const act = Object.hasOwn(keys, key.key) && keys[key.key];
    if (!act || key.ctrlKey || key.altKey || key.metaKey || key.target.matches?.("input")) return;
    key.preventDefault();
    act();
  });

  for (const finding of findings) {
    finding.events.forEach((event, at) => {
      event.addEventListener("click", (click) => {
        click.preventDefault();
        select(finding, at, asked);
      });
    });
  }
  for (const finding of [...findings].reverse()) select(finding, 0);
  document.querySelector(".tools").hidden = false;

  // What is folded is printed, too.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    for (const details of folded) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of folded) details.open = false;
  });
