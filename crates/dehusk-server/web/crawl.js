// The view of a crawl: its pages and its hosts, in tables that sort and filter.
"use strict";
window.Dehusk = window.Dehusk || {};
(() => {
  const Dehusk = window.Dehusk;
  const { el } = Dehusk;
  Dehusk.views = Dehusk.views || {};

  const PAGE_COLUMNS = [
    { label: "Page", sort: "url", cell: Dehusk.pageCell },
    { label: "Host", sort: "site", cell: (row) => el("a", { href: Dehusk.siteLink(row.site) }, Dehusk.siteName(row.site)) },
    { label: "Confidence", sort: "confidence", isUsual: true, isNumber: true, cell: (row) => Dehusk.shareBar(row.confidence, "", row.final) },
    { label: "Dropped", sort: "dropped", first: "desc", isNumber: true, cell: (row) => Dehusk.shareBar(row.dropped, "drop", row.final) },
    { label: "Words", sort: "words", isNumber: true, cell: (row) => (row.error ? Dehusk.dash() : Dehusk.number(row.words)) },
    { label: "Fit", sort: "fit", isNumber: true, cell: fitCell },
    { label: "Type", sort: "type", cell: (row) => row.page_type || Dehusk.dash() },
    { label: "Errors and flags", sort: "error", cell: Dehusk.problems },
  ];

  /** How well the template of its site fits a page, and which one. */
  function fitCell(row) {
    if (row.fit === null) return Dehusk.dash();
    const template = row.template === null ? "none fits" : `template ${row.template}`;
    return [row.fit.toFixed(2), " ", el("span", { class: "muted" }, template)];
  }

  const HOST_COLUMNS = [
    { label: "Host", sort: "name", cell: (row) => el("a", { href: Dehusk.siteLink(row.name), class: "row-link" }, Dehusk.siteName(row.name)) },
    { label: "Confidence", sort: "confidence", isUsual: true, isNumber: true, cell: (row) => Dehusk.shareBar(row.confidence) },
    { label: "Pages", sort: "pages", first: "desc", isNumber: true, cell: (row) => el("a", {
      href: `#/?${new URLSearchParams({ site: row.name })}`, "aria-label": `${Dehusk.plural(row.pages, "page")} of ${Dehusk.siteName(row.name)}`,
    }, Dehusk.number(row.pages)) },
    { label: "Errors", sort: "failed", first: "desc", isNumber: true, cell: (row) => (row.failed ? el("span", { class: "row-error" }, Dehusk.plural(row.failed, "error")) : "0") },
    { label: "Dropped", sort: "dropped", first: "desc", isNumber: true, cell: (row) => Dehusk.shareBar(row.dropped, "drop") },
    { label: "Kinds of pages", sort: "templates", first: "desc", isNumber: true, cell: (row) => (row.template_pages ? Dehusk.number(row.templates) : el("span", { class: "muted" }, "no template")) },
    { label: "Pages that fit none", sort: "unfit", first: "desc", isNumber: true, cell: (row) => Dehusk.number(row.unfit) },
  ];

  const FILTERS = ["q", "site", "type", "flag", "errors", "min_confidence", "max_confidence", "min_dropped", "max_dropped", "template"];
  /** How long after the last key the filter applies. */
  const TYPING_MS = 200;

  function show(container) {
    const params = Dehusk.hashQuery();
    const isHosts = params.get("view") === "hosts";
    document.title = isHosts ? "Hosts of the crawl – Dehusk" : "Pages of the crawl – Dehusk";
    const summary = el("p", { class: "crawl-summary" });
    const progressLine = Dehusk.progressLine();
    let isDone = false;
    const table = Dehusk.rowTable({
      name: isHosts ? "Hosts" : "Pages",
      one: isHosts ? "host" : "page",
      path: isHosts ? "hosts" : "pages",
      columns: isHosts ? HOST_COLUMNS : PAGE_COLUMNS,
      sorts: isHosts ? [] : [["title", "Title"], ["template", "Template"], ["number", "Place in the input"]],
      params,
      changed: (isStep) => Dehusk.setHashQuery(params, isStep),
      empty: () => (isDone ? "The input holds no page." : "No page has been read yet."),
      received: (answer) => filters.update(answer),
    });
    const filters = isHosts ? hostFilters(params, table) : pageFilters(params, table);
    const link = (label, query, isCurrent) => el("a", { href: query, "aria-current": isCurrent ? "page" : null }, label);
    const view = el("div", { class: "crawl-view" },
      el("header", { class: "crawl-head" },
        el("h1", {}, "Crawl"),
        summary,
        el("nav", { class: "crawl-tabs", "aria-label": "Tables" }, link("Pages", "#/", !isHosts), link("Hosts", "#/?view=hosts", isHosts)),
        Dehusk.themeButton()),
      el("main", {}, progressLine, filters.element, table.element,
        el("p", { class: "muted keys" }, el("kbd", {}, "/"), " filter, ", el("kbd", {}, "↑"), " ", el("kbd", {}, "↓"), " rows, ", el("kbd", {}, "Enter"), " opens")));
    container.replaceChildren(view);

    const keys = (event) => {
      if (event.key === "/" && !Dehusk.isTyping(event)) {
        event.preventDefault();
        filters.focus();
      } else if (event.key === "ArrowDown" && (event.target === document.body || event.target === filters.search)) {
        event.preventDefault();
        table.focusFirst();
      }
    };
    document.addEventListener("keydown", keys);
    table.load(false);
    let before = "";
    const endProgress = Dehusk.followProgress((progress, error) => {
      progressLine.update(progress, error);
      if (!progress) return;
      isDone = progress.phase === "done";
      const skipped = progress.skipped ? `, ${Dehusk.plural(progress.skipped, "record")} that are not pages` : "";
      const failed = progress.failed ? Dehusk.plural(progress.failed, "error") : "no errors";
      summary.textContent = `${Dehusk.plural(progress.pages, "page")} of ${Dehusk.plural(progress.sites, "host")}, ${failed}${skipped}`;
      const now = JSON.stringify(progress);
      if (now !== before) table.load(false);
      before = now;
    });
    return () => {
      document.removeEventListener("keydown", keys);
      endProgress();
      filters.end();
    };
  }

  /** A field for text that filters while one types. */
  function searchField(label, params, table) {
    let timer = null;
    const input = el("input", { type: "search", value: params.get("q") || "", autocomplete: "off", spellcheck: "false" });
    input.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        // The first letter is a step to go back to, the others continue it.
        const isStep = !params.has("q");
        set(params, "q", input.value.trim());
        table.restart(isStep);
      }, TYPING_MS);
    });
    return { input, field: el("label", { class: "search" }, label, input), end: () => clearTimeout(timer) };
  }

  function set(params, name, value) {
    if (value === "" || value === null) params.delete(name);
    else params.set(name, value);
  }

  function hostFilters(params, table) {
    const search = searchField("Host has", params, table);
    const element = el("form", { class: "filters", role: "search", "aria-label": "Filter hosts", onsubmit: (event) => event.preventDefault() }, search.field);
    return { element, search: search.input, focus: () => search.input.focus(), update: () => {}, end: search.end };
  }

  function pageFilters(params, table) {
    const search = searchField("Title or address has", params, table);
    const changed = (name, value) => {
      set(params, name, value);
      table.restart(true);
    };
    const list = (name, label) => {
      const select = el("select", { onchange: () => changed(name, select.value) }, el("option", { value: "" }, "any"));
      return { name, select, field: el("label", {}, label, select) };
    };
    const type = list("type", "Type");
    const flag = list("flag", "Flag");
    const errors = el("input", { type: "checkbox", onchange: () => changed("errors", errors.checked ? "1" : "") });
    errors.checked = params.get("errors") === "1";
    const errorCount = el("span");
    const limit = (name, label) => {
      const input = el("input", { type: "number", min: 0, max: 1, step: 0.05, "aria-label": label, value: params.get(name) || "" });
      input.addEventListener("change", () => { if (input.reportValidity()) changed(name, input.value); });
      return input;
    };
    const range = (what, label) => el("fieldset", {}, el("legend", {}, label),
      limit(`min_${what}`, `Least ${what}`), el("span", { "aria-hidden": "true" }, "–"), limit(`max_${what}`, `Most ${what}`));
    const more = el("div", { class: "more", id: "more-filters" }, type.field, flag.field,
      el("label", {}, errors, "Errors only", errorCount), range("confidence", "Confidence"), range("dropped", "Share dropped"));
    const toggle = el("button", {
      type: "button", class: "more-toggle", "aria-expanded": "false", "aria-controls": "more-filters",
      onclick: () => {
        const isOpen = toggle.getAttribute("aria-expanded") !== "true";
        toggle.setAttribute("aria-expanded", String(isOpen));
        more.classList.toggle("is-open", isOpen);
      },
    }, "More filters");
    const clear = el("a", { href: "#/", class: "clear" }, "Clear all filters");
    const site = el("span", { class: "badge" });
    const element = el("form", { class: "filters", role: "search", "aria-label": "Filter pages", onsubmit: (event) => event.preventDefault() },
      search.field, toggle, more, site, clear);

    /** The choices of a list, with the number of pages of each. */
    const setChoices = ({ name, select }, counts) => {
      const chosen = params.get(name) || "";
      const known = Object.entries(counts);
      if (chosen && !(chosen in counts)) known.push([chosen, 0]);
      const text = JSON.stringify([known, chosen]);
      if (select.dataset.choices === text || document.activeElement === select) return;
      select.dataset.choices = text;
      select.replaceChildren(el("option", { value: "" }, "any"),
        ...known.map(([value, count]) => el("option", { value }, `${value.replaceAll("_", " ")} (${Dehusk.number(count)})`)));
      select.value = chosen;
    };
    const update = (answer) => {
      setChoices(type, answer.choices.types);
      setChoices(flag, answer.choices.flags);
      const failed = Object.values(answer.choices.errors).reduce((sum, count) => sum + count, 0);
      errorCount.textContent = ` (${Dehusk.number(failed)})`;
      site.hidden = !params.has("site");
      site.textContent = `Host: ${Dehusk.siteName(params.get("site"))}`;
      clear.hidden = !FILTERS.some((name) => params.has(name));
      const inMore = FILTERS.filter((name) => !["q", "site"].includes(name) && params.has(name)).length;
      toggle.textContent = inMore ? `More filters (${inMore})` : "More filters";
    };
    site.hidden = clear.hidden = true;
    return { element, search: search.input, focus: () => search.input.focus(), update, end: search.end };
  }

  Dehusk.views.crawl = { show };
})();
