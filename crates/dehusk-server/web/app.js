// Finds the view that the address names, and starts it.
"use strict";
(() => {
  const Dehusk = window.Dehusk;
  const { el, fill } = Dehusk;
  const app = document.getElementById("app");
  const network = new URLSearchParams(location.search).get("network") === "1";
  let cleanup = null;
  let start = null;
  /** Counts views, so that an answer that comes late does not replace a later view. */
  let turn = 0;

  const fail = (error) =>
    fill(app, el("main", {}, el("h1", { class: "visually-hidden" }, "Dehusk"),
      el("p", { class: "message error", role: "alert" }, error.message),
      el("p", { class: "message" }, el("a", { href: "#/" }, "Back to the start"))));

  /** What the view of a page can ask for. */
  const live = {
    network,
    get isSingle() { return start.pages_expected === 1; },
    setNetwork: (on) => {
      const address = new URL(location.href);
      address.search = on ? "?network=1" : "";
      location.assign(address);
    },
    compareMethods: () => route({ methods: 1 }),
  };

  const showPage = async (number, options, mine) => {
    if (!options.methods) fill(app, el("p", { class: "message", role: "status" }, "Reading the page…"));
    const query = new URLSearchParams({ ...(network ? { network: 1 } : {}), ...options });
    const data = await Dehusk.api(`page/${number}?${query}`);
    if (mine !== turn) return null;
    const view = new Dehusk.PageView(app, data, live);
    Dehusk.view = view;
    return () => view.close();
  };

  const route = async (options) => {
    const mine = ++turn;
    if (cleanup) cleanup();
    cleanup = null;
    app.dataset.ready = "false";
    try {
      start = start || await Dehusk.api("start");
      if (mine !== turn) return;
      const [path, query] = location.hash.replace(/^#/, "").split("?");
      const parts = path.split("/").filter(Boolean);
      const params = new URLSearchParams(query || "");
      if (parts[0] === "page" || (parts.length === 0 && live.isSingle)) {
        const stop = await showPage(parts[0] === "page" ? Number(parts[1]) : 0, options, mine);
        if (mine === turn) cleanup = stop;
      } else if (parts[0] === "site") {
        cleanup = Dehusk.views.site.show(app, { name: decodeURIComponent(parts.slice(1).join("/")), query: params });
      } else {
        cleanup = Dehusk.views.crawl.show(app, { query: params });
      }
    } catch (error) {
      if (mine === turn) fail(error);
    }
  };

  window.addEventListener("hashchange", () => route({}));
  route({});
})();
