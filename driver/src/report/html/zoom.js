
  // The size of the time lines, in percent.
  const sizes = [60, 80, 100, 125, 150, 200];
  const usual = sizes.indexOf(100);
  let size = usual;

  function zoom(to) {
    size = Math.max(0, Math.min(to, sizes.length - 1));
    document.documentElement.style.setProperty("--zoom", sizes[size] / 100);
    document.querySelector(".zoom output").textContent = `${sizes[size]} %`;
    for (const { section, events, at } of findings) {
      if (events.length > 0) reveal(section.querySelector(".timeline"), events[at], 60);
    }
  }

  for (const button of document.querySelectorAll("[data-zoom]")) {
    const by = Number(button.dataset.zoom);
    button.addEventListener("click", () => zoom(by === 0 ? usual : size + by));
  }
  Object.assign(keys, {
    "+": () => zoom(size + 1),
    "=": () => zoom(size + 1),
    "-": () => zoom(size - 1),
    0: () => zoom(usual),
  });
