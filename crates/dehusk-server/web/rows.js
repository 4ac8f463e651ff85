// A table of rows that the server sorts, filters and gives in parts. The views of a crawl and of a site show their pages with it.
"use strict";
window.Dehusk = window.Dehusk || {};
(() => {
  const Dehusk = window.Dehusk;
  const { el } = Dehusk;
  const ROWS = 100;
  /** The row that was opened last: who comes back finds it again. */
  let opened = null;

  /** The query of the address: what is after the question mark of its hash. */
  Dehusk.hashQuery = () => new URLSearchParams(location.hash.split("?")[1] || "");

  /** Puts the state of a view into the address. Each step is one to go back to, except where it merely continues the one before. */
  Dehusk.setHashQuery = (params, isStep) => {
    const path = location.hash.split("?")[0] || "#/";
    const query = params.toString();
    const address = query ? `${path}?${query}` : path;
    if (address === location.hash) return;
    if (isStep) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  };

  /** The name of a site for people. */
  Dehusk.siteName = (name) => name || "(no host)";
  Dehusk.siteLink = (name) => `#/site/${encodeURIComponent(name)}`;

  /** Where there is no value. */
  Dehusk.dash = () => el("span", { class: "muted dash" }, "–");

  /** A share as a bar, or a dash. One that may still change has a mark. */
  Dehusk.shareBar = (share, kind, isFinal) => {
    if (share === null || share === undefined) return Dehusk.dash();
    const text = share.toFixed(2);
    const bar = Dehusk.bar(share, isFinal === false ? `~${text}` : text, kind);
    if (isFinal === false) bar.title = "Found without the template of its site, which is not known yet";
    return bar;
  };

  /** The cell that names a page: its title and its address. */
  Dehusk.pageCell = (row) => {
    const link = el("a", { href: `#/page/${row.number}`, class: "row-link" }, row.title || row.url || `Page ${row.number}`);
    return [link, row.title ? el("span", { class: "row-address", title: row.url }, row.url) : null];
  };

  /** Errors and flags of a page, in words. */
  Dehusk.problems = (row) => {
    const words = (name) => name.replaceAll("_", " ");
    const badges = row.flags.map((flag) => el("span", { class: "badge" }, words(flag)));
    if (row.error) badges.unshift(el("span", { class: "badge row-error" }, `Error: ${words(row.error)}`));
    if (!badges.length) return Dehusk.dash();
    const message = row.error_message && el("span", { class: "error-message", title: row.error_message }, row.error_message);
    return el("span", { class: "badges" }, badges, message);
  };

  /**
   * A table.
   * - `name`: what it shows, for those who cannot see it; `one` and `many`: what a row is.
   * - `path`: of the server's answers; `fixed`: parameters that are always sent.
   * - `columns`: `label`, `sort` (its name for the server), `first` (the order it starts with), `cell` (row to children), `isNumber`.
   * - `params`: the state, as in the address; `changed(isStep)` is called when the table changed it.
   * - `sorts`: further orders, for the list on small screens.
   * - `received(answer)`: called with every answer.
   */
  Dehusk.rowTable = (options) => {
    const { columns, params } = options;
    const usual = columns.find((column) => column.isUsual) || columns[0];
    let answer = null;
    let shown = "";
    let asked = 0;

    const sort = () => params.get("sort") || usual.sort;
    const order = () => params.get("order") || usual.first || "asc";
    const offset = () => Math.max(0, Number.parseInt(params.get("offset"), 10) || 0);
    const setOrder = (name, direction) => {
      params.set("sort", name);
      params.set("order", direction);
      params.delete("offset");
      changed(true);
    };

    const head = el("tr", { role: "row" });
    const headings = columns.map((column) => {
      const mark = el("span", { class: "sort-mark", "aria-hidden": "true" });
      const button = column.sort && el("button", {
        type: "button",
        onclick: () => {
          const isSame = sort() === column.sort;
          setOrder(column.sort, isSame ? (order() === "asc" ? "desc" : "asc") : column.first || "asc");
        },
      }, column.label, mark);
      const heading = el("th", { role: "columnheader", scope: "col", class: column.isNumber ? "number" : null }, button || column.label);
      head.append(heading);
      return { column, heading, mark };
    });
    const body = el("tbody", { role: "rowgroup" });
    const table = el("table", { role: "table", class: "rows", "aria-label": options.name },
      el("thead", { role: "rowgroup" }, head), body);

    // Cards have no headings, so small screens have a list of orders.
    const sortable = columns.filter((column) => column.sort).map((column) => [column.sort, column.label]).concat(options.sorts || []);
    const sortList = el("select", { onchange: () => setOrder(sortList.value, order()) },
      sortable.map(([name, label]) => el("option", { value: name }, label)));
    const orderButton = el("button", { type: "button", onclick: () => setOrder(sort(), order() === "asc" ? "desc" : "asc") });
    const sortBar = el("div", { class: "sort-bar" }, el("label", {}, "Sort by ", sortList), orderButton);

    const count = el("span", { class: "row-count" });
    const step = (label, text, target) => el("button", { type: "button", "aria-label": label, onclick: () => goTo(target()) }, text);
    // On small screens the arrows have to do.
    const word = (text) => el("span", { class: "wide-only" }, text);
    const last = () => (answer ? Math.max(0, Math.ceil(answer.matching / ROWS) - 1) * ROWS : 0);
    const steps = {
      first: step("First rows", "«", () => 0),
      back: step("Previous rows", ["‹", word(" Previous")], () => Math.max(0, offset() - ROWS)),
      next: step("Next rows", [word("Next "), "›"], () => Math.min(last(), offset() + ROWS)),
      last: step("Last rows", "»", last),
    };
    const pager = el("nav", { class: "pager", "aria-label": `Parts of the table: ${options.name}` }, count, Object.values(steps));
    const note = el("p", { class: "message", role: "status", hidden: true });
    const element = el("div", { class: "row-table" }, sortBar, table, note, pager);

    const goTo = (target) => {
      if (target) params.set("offset", target);
      else params.delete("offset");
      changed(true).then(() => element.scrollIntoView({ block: "start" }));
    };

    const links = () => [...body.querySelectorAll("a.row-link")];
    body.addEventListener("click", (event) => {
      if (event.target.closest("a.row-link")) opened = event.target.closest("tr").dataset.key;
    });
    element.addEventListener("keydown", (event) => {
      const row = event.target.closest("tbody tr");
      if (!row || Dehusk.isTyping(event)) return;
      const all = links();
      const at = all.findIndex((link) => row.contains(link));
      const moves = { ArrowDown: at + 1, ArrowUp: at - 1 };
      if (event.key in moves) {
        event.preventDefault();
        const target = all[moves[event.key]];
        if (target) target.focus();
      }
    });

    /** Asks for the rows and shows them. Where nothing changed, nothing is touched; what had the focus keeps it. */
    const load = async (announces) => {
      const query = new URLSearchParams(options.fixed || {});
      for (const [name, value] of params) if (name !== "view") query.set(name, value);
      query.set("sort", sort());
      query.set("order", order());
      query.set("offset", offset());
      query.set("limit", ROWS);
      const number = (asked += 1);
      let received;
      try {
        received = await Dehusk.api(`${options.path}?${query}`);
      } catch (error) {
        if (number === asked) showNote(error.message, true);
        return;
      }
      // An answer that came after that of a later question is outdated.
      if (number !== asked) return;
      answer = received;
      if (offset() > last()) {
        params.set("offset", last());
        if (!last()) params.delete("offset");
        return load(announces);
      }
      if (options.received) options.received(answer);
      draw();
      if (announces) Dehusk.announce(Dehusk.plural(answer.matching, options.one, options.many));
    };

    const draw = () => {
      for (const { column, heading, mark } of headings) {
        const isSorted = column.sort && column.sort === sort();
        if (isSorted) heading.setAttribute("aria-sort", order() === "asc" ? "ascending" : "descending");
        else heading.removeAttribute("aria-sort");
        mark.textContent = isSorted ? (order() === "asc" ? " ▲" : " ▼") : "";
      }
      sortList.value = sort();
      orderButton.textContent = order() === "asc" ? "▲ Ascending" : "▼ Descending";
      const { rows, matching, total } = answer;
      const end = offset() + rows.length;
      const what = Dehusk.plural(matching, options.one, options.many).replace(/^\S+/, "");
      const inAll = matching < total && !options.fixed ? ` (${Dehusk.number(total)} in all)` : "";
      Dehusk.fill(count, `${Dehusk.number(offset() + 1)}–${Dehusk.number(end)} of ${Dehusk.number(matching)}`, word(`${what}${inAll}`));
      pager.hidden = !matching;
      steps.first.disabled = steps.back.disabled = offset() === 0;
      steps.next.disabled = steps.last.disabled = end >= matching;
      if (matching) note.hidden = true;
      else showNote(total ? `No ${options.one} has all that the filters ask for.` : options.empty ? options.empty() : "Nothing yet.", false);
      table.hidden = sortBar.hidden = !matching;
      const text = JSON.stringify(rows);
      if (text === shown) return;
      shown = text;
      const focused = document.activeElement && body.contains(document.activeElement) ? document.activeElement : null;
      const key = focused && focused.closest("tr").dataset.key;
      const place = focused && [...focused.closest("tr").querySelectorAll("a")].indexOf(focused);
      const isFirst = !body.firstElementChild;
      body.replaceChildren(...rows.map(tableRow));
      const again = isFirst && [...body.children].find((row) => row.dataset.key === opened);
      if (again) {
        opened = null;
        again.querySelector("a.row-link").focus({ preventScroll: true });
        again.scrollIntoView({ block: "center" });
      } else if (focused) {
        const row = [...body.children].find((row) => row.dataset.key === key) || body.firstElementChild;
        const target = row && (row.querySelectorAll("a")[place] || row.querySelector("a"));
        if (target) target.focus({ preventScroll: true });
      }
    };

    const tableRow = (row) => {
      const cells = columns.map((column, number) => el(number ? "td" : "th", {
        role: number ? "cell" : "rowheader",
        scope: number ? null : "row",
        class: column.isNumber ? "number" : null,
        "data-label": column.label,
      }, column.cell(row)));
      const key = row.number === undefined ? `host ${row.name}` : `page ${row.number}`;
      return el("tr", { role: "row", "data-key": key, class: row.error ? "has-error" : null }, cells);
    };

    const showNote = (text, isError) => {
      note.textContent = text;
      note.hidden = false;
      note.classList.toggle("error", isError);
    };

    const changed = (isStep) => {
      options.changed(isStep);
      return load(true);
    };

    return {
      element,
      load,
      /** The filters changed: start with the first rows. */
      restart: (isStep) => {
        params.delete("offset");
        return changed(isStep);
      },
      /** Moves the focus to the first row. */
      focusFirst: () => {
        const [first] = links();
        if (first) first.focus();
      },
    };
  };

  /** Follows the job of the server: calls `update` with its progress at once and every second (more often before the first page), until it is done. Returns a function that ends this. */
  Dehusk.followProgress = (update) => {
    let timer = null;
    let isEnded = false;
    const ask = async () => {
      let progress = null;
      try {
        progress = await Dehusk.api("progress");
      } catch (error) {
        if (!isEnded) update(null, error);
      }
      if (isEnded) return;
      if (progress) update(progress, null);
      // The first rows should not wait for a second that has just begun.
      const isEmpty = progress && progress.pages === 0;
      if (!progress || !["done", "failed"].includes(progress.phase)) timer = setTimeout(ask, isEmpty ? 100 : 1000);
    };
    ask();
    return () => {
      isEnded = true;
      clearTimeout(timer);
    };
  };

  /** A line that says what the job does. */
  Dehusk.progressLine = () => {
    const bar = el("progress", { "aria-label": "Progress of reading and cleaning", max: 1 });
    const text = el("span");
    const element = el("div", { class: "progress-line", hidden: true }, bar, text);
    let phase = null;
    element.update = (progress, error) => {
      element.hidden = !!progress && progress.phase === "done";
      element.classList.toggle("error", !!error || (!!progress && progress.phase === "failed"));
      if (error) {
        text.textContent = error.message;
        bar.hidden = true;
        return;
      }
      const pages = Dehusk.plural(progress.pages, "page");
      const read = progress.bytes_total ? progress.bytes_read / progress.bytes_total : null;
      const rest = progress.to_do ? progress.done / progress.to_do : null;
      const [label, share] = {
        reading: [`Reading: ${pages} so far, each looked at by itself`, read],
        learning: [`Learning ${Dehusk.plural(progress.to_do, "site")}: ${Dehusk.number(progress.done)} done`, rest],
        cleaning: [`Cleaning with the templates of the sites: ${Dehusk.number(progress.done)} of ${Dehusk.plural(progress.to_do, "page")}`, rest],
        failed: [`Stopped after ${pages}: ${progress.error}`, null],
        done: [`Done: ${pages}`, 1],
      }[progress.phase];
      text.textContent = label;
      bar.hidden = progress.phase === "failed";
      if (share === null) bar.removeAttribute("value");
      else bar.value = share;
      if (progress.phase !== phase && (phase !== null || progress.phase === "failed")) Dehusk.announce(label);
      phase = progress.phase;
    };
    return element;
  };
})();
