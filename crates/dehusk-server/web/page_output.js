// The content of a page, how the detectors differ on it, and its records.
"use strict";
(() => {
  const Dehusk = window.Dehusk;
  const { el, fill } = Dehusk;

  /** Elements whose text is one line of the comparison. */
  const INLINE = new Set(("a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q rp rt ruby s samp small " +
    "span strike strong sub sup time tt u var wbr").split(" "));
  const MAX_COMPARED = 400;

  Object.assign(Dehusk.PageView.prototype, {
    buildOutput() {
      const tab = (key, label) => el("button", {
        type: "button", role: "tab", id: `tab-${key}`, "aria-controls": "output", "aria-selected": "false", onclick: () => this.openOutput(key),
      }, label);
      this.outputTabs = { markdown: tab("markdown", "Markdown"), text: tab("text", "Text"), compare: tab("compare", "Compare"), records: tab("records", "Records") };
      this.outputNote = el("span", { class: "muted" });
      const list = el("div", { role: "tablist", "aria-label": "The content" }, Object.values(this.outputTabs));
      list.addEventListener("keydown", (event) => this.moveTab(event, list));
      this.outputBody = el("div", { class: "scroll", id: "output", role: "tabpanel", tabindex: "0", "aria-labelledby": "tab-markdown" });
      this.content = el("pre", { class: "content" });
      return [
        el("div", { class: "output-bar" }, list, Dehusk.copyButton(() => this.contentText(), "the content"), this.outputNote),
        this.outputBody,
      ];
    },

    openOutput(key) {
      this.output = key;
      this.showContent();
    },

    contentText() {
      const format = this.output === "text" ? "text" : "markdown";
      if (this.corrected && this.corrections.size > 0) return this.corrected[format];
      const { parts, steps } = this.detector[format];
      return steps[Math.min(this.step, steps.length - 1)].map((part) => parts[part]).join("\n\n");
    },

    showContent() {
      for (const [key, tab] of Object.entries(this.outputTabs)) {
        tab.setAttribute("aria-selected", String(key === this.output));
        tab.tabIndex = key === this.output ? 0 : -1;
      }
      this.outputBody.setAttribute("aria-labelledby", `tab-${this.output}`);
      this.drawRecords();
      if (this.output === "records") {
        this.outputNote.textContent = "at the focus it was opened with";
        // The tables do not move with the slider.
        if (!this.recordTables) this.recordTables = el("div", {}, this.buildRecords());
        if (this.recordTables.parentNode !== this.outputBody) fill(this.outputBody, this.recordTables);
        return;
      }
      if (this.output === "compare") {
        this.outputNote.textContent = "";
        fill(this.outputBody, this.buildComparison());
        return;
      }
      const text = this.contentText();
      if (this.content.parentNode !== this.outputBody) fill(this.outputBody, this.content);
      this.drawContent(text);
      const at = Math.min(this.step, this.detector.dropped.length - 1);
      this.outputNote.textContent = this.corrections.size > 0
        ? (this.corrected ? "with your corrections" : "…")
        : `${Dehusk.percent(this.detector.dropped[at])} of the text dropped`;
    },

    /**
     * Shows a text. Its paragraphs are elements, of which the browser lays out only those on the screen, and only those that changed are
     * replaced: a page may have thousands.
     */
    drawContent(text) {
      const parts = text.split(/(?<=\n\n)/);
      const old = this.contentParts || [];
      let start = 0;
      while (start < parts.length && start < old.length && parts[start] === old[start]) start++;
      let end = 0;
      while (end < parts.length - start && end < old.length - start && parts[parts.length - 1 - end] === old[old.length - 1 - end]) end++;
      const after = this.content.children[old.length - end] || null;
      for (let count = old.length - start - end; count > 0; count--) this.content.children[start].remove();
      const added = document.createDocumentFragment();
      for (const part of parts.slice(start, parts.length - end)) added.append(el("span", {}, part));
      this.content.insertBefore(added, after);
      this.contentParts = parts;
    },

    /** Texts by block, and what each detector does with them. */
    blocks() {
      if (this.blockList) return this.blockList;
      const blocks = [];
      let last = -1;
      for (let at = 0; at < this.count; at++) {
        if (!this.tree.text[at]) continue;
        let up = this.tree.parent[at];
        while (up >= 0 && INLINE.has(this.nameOf(up).split(/[#.]/)[0])) up = this.tree.parent[up];
        if (up !== last || up < 0) blocks.push({ at: up >= 0 ? up : at, texts: [] });
        last = up;
        blocks[blocks.length - 1].texts.push(at);
      }
      this.blockList = blocks.filter((block) => !this.isInHead(block.at));
      return this.blockList;
    },

    isInHead(at) {
      for (let up = at; up >= 0; up = this.tree.parent[up]) {
        if (this.nameOf(up) === "head") return true;
      }
      return false;
    },

    buildComparison() {
      const all = this.data.detectors;
      const bit = 1 << this.step;
      const kept = (detector, block) => block.texts.filter((at) => detector.keep[at] & bit).length;
      const differs = (block) => {
        const first = kept(all[0], block);
        return all.some((detector) => kept(detector, block) !== first);
      };
      const blocks = this.blocks();
      const shown = this.compareAll ? blocks : blocks.filter(differs);
      const box = el("input", { type: "checkbox", onchange: (event) => { this.compareAll = event.target.checked; this.showContent(); } });
      box.checked = Boolean(this.compareAll);
      const mark = (detector, block) => {
        const count = kept(detector, block);
        const [sign, word] = count === 0 ? ["✗", "dropped"] : count === block.texts.length ? ["✓", "kept"] : ["◐", "in part"];
        const kind = count === 0 ? "decision-drop" : "decision-keep";
        return el("td", { class: `mark ${kind}` }, el("span", { role: "img", "aria-label": word, title: word }, sign));
      };
      const row = (block) => el("tr", {},
        el("td", { class: "text" }, el("button", { type: "button", onclick: () => this.select(block.at, { from: "compare" }) },
          block.texts.map((at) => this.tree.text[at]).join(" ").slice(0, 90) || this.nameOf(block.at))),
        all.map((detector) => mark(detector, block)));
      const note = shown.length > MAX_COMPARED ? ` Only the first ${MAX_COMPARED} are shown.` : "";
      return [
        el("p", { style: { padding: "0 .75rem" } },
          `The detectors differ on ${Dehusk.number(blocks.filter(differs).length)} of ${Dehusk.plural(blocks.length, "text")}.${note} `,
          el("label", {}, box, " Show all")),
        el("table", { class: "compare" },
          el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Text"), all.map((one) => el("th", { scope: "col" }, one.name)))),
          el("tbody", {}, shown.slice(0, MAX_COMPARED).map(row))),
      ];
    },
  });
})();
