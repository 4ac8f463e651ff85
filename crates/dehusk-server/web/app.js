// Finds the view that the address names, and starts it.
"use strict";
(() => {
  const Dehusk = window.Dehusk;
  const { el, fill } = Dehusk;
  const app = document.getElementById("app");
  const network = new URLSearchParams(location.search).get("network") === "1";
  let cleanup = null;
  let start = null;
  let turn = 0;

  const fail = (error) =>
    fill(app, el("main", {}, el("p", { class: "message error", role: "alert" }, error.message),
      el("p", { class: "message" }, el("a", { href: "#/" }, "Back to the start"))));

  /** The page of a number. `methods` asks for a comparison of all methods of its site. */
  const showPage = async (number, methods) => {
    const mine = ++turn;
    document.body.dataset.ready = "false";
    app.dataset.ready = "false";
    if (!methods) fill(app, el("p", { class: "message", role: "status" }, "Reading the page…"));
    const query = new URLSearchParams({ ...(network ? { network: 1 } : {}), ...(methods ? { methods: 1 } : {}) });
    const data = await Dehusk.api(`page/${number}?${query}`);
    if (mine !== turn) return null;
    const live = {
      pages: start.pages_expected === 1 ? 1 : 2,
      network,
      setNetwork: (on) => {
        const address = new URL(location.href);
        address.search = on ? "?network=1" : "";
        location.assign(address);
      },
      compareMethods: () => route(true),
    };
    const view = new Dehusk.PageView(app, data, live);
    Dehusk.view = view;
    return () => view.close();
  };

  const route = async (methods) => {
    const mine = ++turn;
    if (cleanup) cleanup();
    cleanup = null;
    try {
      start = start || await Dehusk.api("start");
      const [path, query] = location.hash.replace(/^#/, "").split("?");
      const parts = path.split("/").filter(Boolean);
      const params = new URLSearchParams(query || "");
      if (mine !== turn) return;
      if (parts[0] === "page") {
        cleanup = await showPage(Number(parts[1]), methods === true);
      } else if (parts[0] === "site") {
        cleanup = Dehusk.views.site.show(app, { name: decodeURIComponent(parts.slice(1).join("/")), query: params });
      } else if (start.pages_expected === 1) {
        cleanup = await showPage(0, methods === true);
      } else {
        cleanup = Dehusk.views.crawl.show(app, { query: params });
      }
    } catch (error) {
      fail(error);
    }
  };

  window.addEventListener("hashchange", () => route(false));
  route(false);
})();
