// The records of a page: outlined in the page, with their columns as tables beside it.
"use strict";
(() => {
  const Dehusk = window.Dehusk;
  const { el, fill } = Dehusk;

  const CONTENT = "#1a6b34";
  const OTHER = "#6b7280";

  Object.assign(Dehusk.PageView.prototype, {
    buildRecords() {
      const groups = this.data.records || [];
      if (groups.length === 0) return el("p", { class: "message" }, "The page repeats nothing.");
      return groups.map((group) => this.buildRecordGroup(group));
    },

    buildRecordGroup(group) {
      const select = (id) => { if (this.indexOf.has(id)) this.select(this.indexOf.get(id), { from: "records" }); };
      const row = (record, number) => el("tr", {},
        el("th", { scope: "row" }, el("button", { type: "button", onclick: () => select(record.nodes[0]) }, String(number + 1))),
        record.values.map((value) => el("td", { class: "text" }, value)));
      const left = group.count - group.records.length;
      const notes = [left > 0 ? `${Dehusk.number(left)} more records` : null, group.columns_cut ? "more columns" : null].filter(Boolean);
      const state = group.is_content ? "content" : "not content";
      return el("section", { class: "record-group" },
        el("h3", {}, el("button", { type: "button", onclick: () => select(group.node) }, `${Dehusk.number(group.count)} ${group.kind}`), `, ${state}`),
        el("table", { class: "compare" },
          el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "#"), group.columns.map((name) => el("th", { scope: "col" }, name)))),
          el("tbody", {}, group.records.map(row))),
        notes.length > 0 ? el("p", { class: "muted" }, `Not shown: ${notes.join(", ")}.`) : null);
    },

    /** Outlines the groups and their records while their tables are shown. */
    drawRecords() {
      if (!this.recordBoxes) return;
      if (this.output !== "records") return fill(this.recordBoxes);
      const boxes = [];
      const draw = (ids, kind, colour, label) => {
        const rect = this.rectOf(ids.flatMap((id) => this.elements.get(id) || []));
        if (!rect) return;
        const box = el("div", { class: `box ${kind}` }, label ? el("span", {}, label) : null);
        box.style.setProperty("--swatch", colour);
        this.place(box, rect);
        boxes.push(box);
      };
      for (const group of this.data.records || []) {
        const colour = group.is_content ? CONTENT : OTHER;
        draw([group.node], "segment", colour, `${group.count} ${group.kind}`);
        for (const record of group.records) draw(record.nodes, "record", colour);
      }
      fill(this.recordBoxes, boxes);
    },
  });
})();
