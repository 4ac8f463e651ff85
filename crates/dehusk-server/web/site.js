// The view of a site: its kinds of pages, its templates drawn, how well its pages fit, and drift.
"use strict";
window.Dehusk = window.Dehusk || {};
(() => {
  const Dehusk = window.Dehusk;
  const { el } = Dehusk;
  Dehusk.views = Dehusk.views || {};
  const SVG = "http://www.w3.org/2000/svg";

  const COLUMNS = [
    { label: "Page", sort: "url", cell: Dehusk.pageCell },
    { label: "Fit", sort: "fit", isUsual: true, isNumber: true, cell: (row) => Dehusk.shareBar(row.fit, "keep") },
    { label: "Template", sort: "template", isNumber: true, cell: (row) => (row.template !== null ? String(row.template) : row.fit === null ? Dehusk.dash() : "none fits") },
    { label: "Confidence", sort: "confidence", isNumber: true, cell: (row) => Dehusk.shareBar(row.confidence, "", row.final) },
    { label: "Dropped", sort: "dropped", first: "desc", isNumber: true, cell: (row) => Dehusk.shareBar(row.dropped, "drop", row.final) },
    { label: "Words", sort: "words", isNumber: true, cell: (row) => (row.error ? Dehusk.dash() : Dehusk.number(row.words)) },
    { label: "Errors and flags", sort: "error", cell: Dehusk.problems },
  ];

  /** Where there is no template, why. */
  const WITHOUT = {
    waiting: "The templates of this site are not known yet: they are learned once all pages are read.",
    not_asked: "Pages are looked at by themselves, without templates.",
    crawl: "There is no template of this site: what pages share can only be found where there are two pages or more with an address.",
    store: "The template store does not know this site.",
  };

  function show(container, given) {
    const name = typeof given === "string" ? given : (given && given.name) || nameOfHash();
    const params = Dehusk.hashQuery();
    document.title = `${Dehusk.siteName(name)} – Dehusk`;
    const progressLine = Dehusk.progressLine();
    const facts = el("p", { class: "crawl-summary" });
    const overview = el("div", { class: "site-overview" });
    const drawing = el("section", { class: "site-drawing", hidden: true, "aria-labelledby": "drawing-heading" });
    const table = Dehusk.rowTable({
      name: "Pages of this site",
      one: "page",
      path: "pages",
      fixed: { site: name },
      columns: COLUMNS,
      sorts: [["title", "Title"], ["number", "Place in the input"]],
      params,
      changed: (isStep) => Dehusk.setHashQuery(params, isStep),
    });
    const choice = templateChoice(params, table);
    const view = el("div", { class: "crawl-view" },
      el("header", { class: "crawl-head" },
        el("nav", { "aria-label": "Back" }, el("a", { href: "#/?view=hosts" }, "All hosts")),
        el("h1", {}, Dehusk.siteName(name)), facts, Dehusk.themeButton()),
      el("main", {}, progressLine, overview, drawing,
        el("section", { "aria-labelledby": "pages-heading" },
          el("div", { class: "section-head" }, el("h2", { id: "pages-heading" }, "Pages"), choice.element), table.element)));
    container.replaceChildren(view);

    let shown = "";
    let hasDrawing = false;
    const load = async () => {
      table.load(false);
      let site;
      try {
        site = await Dehusk.api(`site?${new URLSearchParams({ name })}`);
      } catch (error) {
        if (shown !== error.message) Dehusk.fill(overview, el("p", { class: "message error", role: "alert" }, error.message));
        shown = error.message;
        return;
      }
      const text = JSON.stringify(site);
      if (text === shown) return;
      shown = text;
      const failed = site.failed ? `, ${Dehusk.plural(site.failed, "error")}` : "";
      const confidence = site.confidence === null ? "" : `, mean confidence ${site.confidence.toFixed(2)}`;
      const dropped = site.dropped === null ? "" : `, ${Dehusk.percent(site.dropped)} of the text dropped`;
      facts.textContent = `${Dehusk.plural(site.pages, "page")}${failed}${confidence}${dropped}`;
      choice.update(site.kinds);
      drawOverview(overview, site, (template) => {
        params.set("template", template);
        choice.update(site.kinds);
        table.restart(true);
        document.getElementById("pages-heading").scrollIntoView();
      });
      if (site.templates && site.kinds.length && !hasDrawing) {
        hasDrawing = true;
        drawTemplates(drawing, name);
      }
    };
    let before = null;
    const endProgress = Dehusk.followProgress((progress, error) => {
      progressLine.update(progress, error);
      const now = JSON.stringify(progress);
      if (now !== before) load();
      before = now;
    });
    const keys = (event) => {
      if (event.key === "ArrowDown" && event.target === document.body) {
        event.preventDefault();
        table.focusFirst();
      }
    };
    document.addEventListener("keydown", keys);
    return () => {
      document.removeEventListener("keydown", keys);
      endProgress();
    };
  }

  const nameOfHash = () => decodeURIComponent(location.hash.split("?")[0].replace(/^#\/site\/?/, ""));

  /** The list that leaves the pages of one template. */
  function templateChoice(params, table) {
    const select = el("select", {
      onchange: () => {
        if (select.value) params.set("template", select.value);
        else params.delete("template");
        table.restart(true);
      },
    });
    const element = el("label", { hidden: true }, "Template ", select);
    const update = (kinds) => {
      element.hidden = !kinds.length;
      if (document.activeElement === select) return;
      const options = [["", "any"], ...kinds.map((kind) => [String(kind.number), `${kind.number} (${Dehusk.plural(kind.pages, "page")})`]), ["none", "none fits"]];
      select.replaceChildren(...options.map(([value, label]) => el("option", { value }, label)));
      select.value = params.get("template") || "";
    };
    return { element, update };
  }

  function drawOverview(overview, site, choose) {
    if (!site.templates) {
      Dehusk.fill(overview, el("p", { class: "message" }, WITHOUT[site.state]));
      return;
    }
    const { templates } = site;
    const method = templates.combination === templates.method ? templates.method : `${templates.method}, which chose ${templates.combination}`;
    const learned = templates.learned ? ` on ${templates.learned}` : "";
    Dehusk.fill(overview,
      el("p", {}, `Learned from ${Dehusk.plural(templates.pages, "page")}${learned} with ${method}. `,
        `${Dehusk.plural(templates.shared_parts, "part")} ${templates.shared_parts === 1 ? "is" : "are"} on two of them or more. `,
        templates.grouped ? `${Dehusk.plural(templates.grouped, "page")} were compared by their structure; ${templates.single} of them ${templates.single === 1 ? "is" : "are"} of no kind.` : ""),
      site.state === "store" ? driftSection(site) : null,
      el("div", { class: "site-columns" },
        el("section", { "aria-labelledby": "kinds-heading" },
          el("h2", { id: "kinds-heading" }, "Kinds of pages"),
          site.kinds.length
            ? el("ul", { class: "kinds" }, site.kinds.map((kind) => kindCard(kind, choose)), site.unfit.pages ? unfitCard(site, choose) : null)
            : el("p", { class: "muted" }, "The pages of this site share parts, but no kinds of pages were told apart.")),
        site.kinds.length ? histogram(site.histogram) : null),
      site.state === "store" ? null : driftSection(site));
  }

  function examples(list) {
    return el("ul", { class: "examples" }, list.map((page) => el("li", {},
      el("a", { href: `#/page/${page.number}`, title: page.url }, page.title || page.url || `Page ${page.number}`), " ",
      el("span", { class: "muted" }, page.fit.toFixed(2)))));
  }

  const fact = (label, value) => el("div", {}, el("dt", {}, label), el("dd", {}, value));

  function kindCard(kind, choose) {
    return el("li", { class: "kind" },
      el("h3", {}, `Template ${kind.number}`),
      el("dl", {}, fact("pages here", Dehusk.number(kind.pages)), fact("mean fit here", kind.fit === null ? "–" : kind.fit.toFixed(2)),
        fact("learned from", Dehusk.number(kind.learned_pages)), fact("usual fit", kind.usual_fit.toFixed(2)), fact("least fit", kind.min_fit.toFixed(2))),
      kind.examples.length ? [el("h4", {}, "Pages that fit best"), examples(kind.examples)] : el("p", { class: "muted" }, "No page of these has it."),
      kind.pages ? el("button", { type: "button", onclick: () => choose(kind.number) }, `Show its pages`, el("span", { class: "visually-hidden" }, ` (template ${kind.number})`)) : null);
  }

  function unfitCard(site, choose) {
    return el("li", { class: "kind unfit" },
      el("h3", {}, "No template fits"),
      el("dl", {}, fact("pages here", Dehusk.number(site.unfit.pages))),
      el("h4", {}, "Nearest to a template"), examples(site.unfit.examples),
      el("button", { type: "button", onclick: () => choose("none") }, "Show these pages"));
  }

  function driftSection(site) {
    const heading = el("h2", { id: "drift-heading" }, "Drift");
    const section = (...content) => el("section", { class: "drift", "aria-labelledby": "drift-heading" }, heading, content);
    if (site.state !== "store") {
      return section(el("p", {}, "The templates were learned from these pages, so there is nothing to compare them with. ",
        "With ", el("code", {}, "--templates"), " pages are compared with what an earlier crawl has learned."));
    }
    const { drift } = site;
    if (!drift) return section(el("p", {}, "The templates hold counts only, which say nothing about kinds of pages."));
    const verdict = drift.drifted
      ? el("p", { class: "verdict drifted" }, "Drifted: learn the site again.")
      : el("p", { class: "verdict" }, "The templates fit as before.");
    return section(verdict,
      drift.findings.length ? el("ul", {}, drift.findings.map((finding) => el("li", {}, finding))) : null,
      el("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "Templates then and now" },
        el("table", { class: "plain" },
          el("thead", {}, el("tr", {}, ["Template", "Verdict", "Learned pages", "Usual fit", "Pages here", "Fit here"].map((label) => el("th", { scope: "col" }, label)))),
          el("tbody", {}, drift.templates.map((template) => el("tr", {},
            el("th", { scope: "row" }, String(template.number)), el("td", {}, template.verdict), el("td", {}, Dehusk.number(template.learned_pages)),
            el("td", {}, template.usual_fit.toFixed(2)), el("td", {}, Dehusk.number(template.pages)), el("td", {}, template.fit === null ? "–" : template.fit.toFixed(2))))))),
      el("p", {}, `${Dehusk.number(drift.unfit)} of ${Dehusk.plural(drift.pages, "page")} fit no template; ${Dehusk.percent(drift.usual_unfit)} did when they were learned.`));
  }

  const shape = (tag, attributes) => {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };

  /** How many pages fit how well, as bars; the same in words for those who cannot see it. */
  function histogram({ fitting, unfit }) {
    const bars = fitting.length;
    const largest = Math.max(1, ...fitting.map((count, at) => count + unfit[at]));
    const [width, height, foot] = [16, 120, 18];
    const svg = shape("svg", { viewBox: `0 0 ${bars * width} ${height + foot}`, role: "img", "aria-labelledby": "histogram-text", class: "histogram" });
    fitting.forEach((count, at) => {
      const parts = [["fits", count], ["fits-not", unfit[at]]];
      let top = height;
      for (const [kind, pages] of parts) {
        const tall = pages ? Math.max(2, (pages / largest) * (height - 12)) : 0;
        top -= tall;
        if (pages) svg.append(shape("rect", { x: at * width + 1, y: top, width: width - 2, height: tall, class: kind }));
      }
    });
    svg.append(shape("line", { x1: 0, x2: bars * width, y1: height, y2: height }));
    for (const [share, anchor] of [[0, "start"], [0.5, "middle"], [1, "end"]]) {
      const label = shape("text", { x: share * bars * width, y: height + 14, "text-anchor": anchor });
      label.textContent = share.toFixed(1);
      svg.append(label);
    }
    const rows = fitting.flatMap((count, at) => (count || unfit[at] ? [`${(at / bars).toFixed(2)}–${((at + 1) / bars).toFixed(2)}: ${Dehusk.plural(count + unfit[at], "page")}${unfit[at] ? `, ${unfit[at]} of them fit no template` : ""}`] : []));
    return el("section", { "aria-labelledby": "fit-heading" },
      el("h2", { id: "fit-heading" }, "How well pages fit"), svg,
      el("p", { class: "visually-hidden", id: "histogram-text" }, `Pages by fit. ${rows.join("; ")}.`),
      el("p", { class: "muted histogram-legend" }, el("span", { class: "swatch fits" }), "a template fits ", el("span", { class: "swatch fits-not" }), "none fits; ",
        `most in a bar: ${Dehusk.plural(largest, "page")}`));
  }

  /** The templates as `dehusk show-template` draws them, in a frame in which nothing runs. */
  async function drawTemplates(section, name) {
    let text;
    try {
      const answer = await fetch(`api/template?${new URLSearchParams({ name })}`);
      if (!answer.ok) return;
      text = await answer.text();
    } catch (error) {
      return;
    }
    const frame = el("iframe", { sandbox: "", title: "The templates of this site, drawn", loading: "lazy" });
    frame.srcdoc = text;
    Dehusk.fill(section, el("h2", { id: "drawing-heading" }, "Templates drawn"), frame);
    section.hidden = false;
  }

  Dehusk.views.site = { show };
})();
