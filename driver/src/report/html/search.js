
  // Finds steps by the words in them: their thread, what they do to which variable, file, function, calls, the line of the
  // source. Each word that is looked for has to be there.
  const field = document.querySelector("#search");
  let hits = [];
  let hit = -1;

  function wordsOf(event) {
    const calls = event.dataset.stack && document.getElementById(event.dataset.stack);
    const source = event.querySelector(".text");
    return [event.title, source?.textContent, calls?.textContent].join("\n").toLowerCase();
  }

  function find() {
    const wanted = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    hits = [];
    hit = -1;
    for (const finding of findings) {
      finding.events.forEach((event, at) => {
        const text = wanted.length > 0 ? wordsOf(event) : "";
        const isHit = wanted.length > 0 && wanted.every((word) => text.includes(word));
        event.classList.toggle("match", isHit);
        if (isHit) hits.push({ finding, at });
      });
    }
    if (hits.length > 0) jump(1);
    else say(wanted.length > 0 ? "no step" : "");
  }

  function say(text) {
    document.querySelector("#found").textContent = text;
  }

  /** To the next step found, or (-1) the one before; behind the last comes the first. */
  function jump(by) {
    if (hits.length === 0) return;
    hit = (hit + by + hits.length) % hits.length;
    const { finding, at } = hits[hit];
    select(finding, at, { window: true });
    say(`${hit + 1} of ${hits.length} ${hits.length === 1 ? "step" : "steps"}`);
  }

  field.addEventListener("input", find);
  document.querySelector(".search button").addEventListener("click", () => jump(1));
  field.addEventListener("keydown", (key) => {
    if (key.key === "Enter") {
      key.preventDefault();
      jump(key.shiftKey ? -1 : 1);
    }
    if (key.key === "Escape") {
      field.value = "";
      find();
      if (current.events.length > 0) select(current, current.at, asked);
    }
  });
  keys["/"] = () => field.focus();
