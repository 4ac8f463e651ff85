// Why a part of a page is kept or dropped, and what people say about it.
"use strict";
(() => {
  const Dehusk = window.Dehusk;
  const { el, fill, announce } = Dehusk;

  Object.assign(Dehusk.PageView.prototype, {
    buildDetails() {
      this.details = el("div", { class: "details", role: "region", "aria-label": "The selected part", tabindex: "0" });
      return this.details;
    },

    decisionText(dropped) {
      return el("span", { class: dropped ? "decision-drop" : "decision-keep" }, dropped ? "Dropped" : "Kept");
    },

    showDetails() {
      const at = this.selected;
      if (at < 0) {
        return fill(this.details, el("p", { class: "muted" }, "Click a part of the page or of the tree to see why it is kept or dropped."));
      }
      const { tree, detector } = this;
      const reason = this.reason(detector, at);
      const start = this.data.step === this.step || !detector.follows_focus;
      const corrected = this.corrections.get(at);
      const term = (name, ...value) => [el("dt", {}, name), el("dd", {}, value)];
      const list = el("dl", {},
        term("Decision", this.decisionText(this.decisions[at]), corrected ? " (by you)" : "",
          !start ? ` at focus ${this.data.steps[this.step].toFixed(2)}` : ""),
        term("Score", Dehusk.bar(detector.score[at], `${detector.score[at].toFixed(2)} (1 is template)`, detector.score[at] > 0.5 ? "drop" : "keep")),
        term(start ? "Reason" : `Reason at ${this.data.steps[this.data.step].toFixed(2)}`, this.reasonText(reason)),
        reason.of ? term("Seen on", Dehusk.bar(reason.pages / reason.of, `${Dehusk.number(reason.pages)} of ${Dehusk.plural(reason.of, "page")}`)) : null,
        reason.template !== undefined ? term("Template", String(reason.template)) : null,
        term("XPath", el("code", {}, this.path("xpath", at)), " ", Dehusk.copyButton(this.path("xpath", at), "the XPath")),
        this.path("css", at) ? term("CSS", el("code", {}, this.path("css", at)), " ", Dehusk.copyButton(this.path("css", at), "the selector")) : null,
        term("Bytes", tree.start[at] < 0 ? "not in the source: the parser added it"
          : `${Dehusk.number(tree.start[at])} to ${Dehusk.number(tree.end[at])}`),
        tree.hidden[at] ? term("Hidden", "the page hides it") : null);
      fill(this.details,
        el("h3", {}, this.nameOf(at)),
        el("p", { class: "muted" }, this.textOf(at, 160)),
        this.live ? el("div", { class: "actions" },
          el("button", { type: "button", "aria-pressed": String(corrected === "keep"), onclick: () => this.correct("keep") }, "Keep"),
          el("button", { type: "button", "aria-pressed": String(corrected === "drop"), onclick: () => this.correct("drop") }, "Drop"),
          el("button", { type: "button", disabled: !corrected, onclick: () => this.correct(null) }, "Undo")) : null,
        list, this.featureTable(at), this.otherDetectors(at));
    },

    reasonText(reason) {
      if (reason.node === undefined) return reason.text;
      const at = this.indexOf.get(reason.node);
      if (at === undefined) return reason.text;
      // What is inside a dropped part is dropped for the reason of that part.
      const outer = reason.name === "inside" ? ` ${this.reason(this.detector, at).text}` : "";
      return [`${reason.text} `, el("button", { type: "button", class: "small", onclick: () => this.select(at, { from: "details" }) }, this.nameOf(at)), outer];
    },

    /** The features that weighed most, out of the words of the detector. */
    featureTable(at) {
      const detail = this.detector.detail[at] < 0 ? null : this.data.strings[this.detector.detail[at]];
      if (!detail) return null;
      const rows = [];
      for (const part of detail.split("; ")) {
        const found = [...part.matchAll(/([^\s,;:]+) (-?[\d.]+|inf|NaN): ([+-][\d.]+)/g)];
        const title = part.split(":")[0];
        rows.push(...found.map((match) => [title, match[1], match[2], Number(match[3])]));
      }
      if (rows.length === 0) return el("p", {}, detail);
      const largest = Math.max(...rows.map((row) => Math.abs(row[3])), 0.1);
      return el("table", {},
        el("caption", { class: "muted" }, "Features that weighed most: + speaks for template, − for content"),
        el("thead", {}, el("tr", {}, ["Feature", "Value", "Weight"].map((name) => el("th", { scope: "col" }, name)))),
        el("tbody", {}, rows.map(([title, name, value, weight]) => el("tr", { title },
          el("td", {}, name), el("td", { class: "number" }, value),
          el("td", {}, Dehusk.bar(Math.abs(weight) / largest, (weight > 0 ? "+" : "−") + Math.abs(weight).toFixed(1), weight > 0 ? "drop" : "keep"))))));
    },

    otherDetectors(at) {
      const bit = 1 << this.step;
      return el("table", {},
        el("caption", { class: "muted" }, "What each detector says"),
        el("thead", {}, el("tr", {}, ["Detector", "Decision", "Score", "Reason"].map((name) => el("th", { scope: "col" }, name)))),
        el("tbody", {}, this.data.detectors.map((detector) => el("tr", {},
          el("td", {}, detector.name),
          el("td", {}, this.decisionText(!(detector.keep[at] & bit))),
          el("td", { class: "number" }, detector.score[at].toFixed(2)),
          el("td", {}, this.reason(detector, at).text)))));
    },

    correctionList() {
      return [...this.corrections].map(([at, decision]) => ({ node: this.tree.id[at], decision }));
    },

    correct(decision) {
      const at = this.selected;
      if (!this.live || at < 0) return;
      // A decision about a part overrules earlier ones about what is in it.
      for (const other of [...this.corrections.keys()]) {
        if (other >= at && other < this.subtreeEnd[at]) this.corrections.delete(other);
      }
      if (decision) this.corrections.set(at, decision);
      this.corrected = null;
      this.refresh();
      this.showDetails();
      this.askForContent();
      announce(decision ? `${this.nameOf(at)}: ${decision === "keep" ? "kept" : "dropped"} by you` : "Correction undone");
    },

    request(extra) {
      return { detector: this.detector.name, focus: this.data.steps[this.step], corrections: this.correctionList(), ...extra };
    },

    /** The content with corrections, which only the server can render. */
    askForContent() {
      clearTimeout(this.asking);
      if (!this.live || this.corrections.size === 0) return;
      this.asking = setTimeout(async () => {
        try {
          const request = this.request();
          this.corrected = await Dehusk.post(`page/${this.data.number}/corrected`, request);
          this.showContent();
        } catch (error) {
          this.outputNote.textContent = error.message;
        }
      }, 60);
    },

    async save() {
      try {
        const answer = await Dehusk.post(`page/${this.data.number}/corrections`, this.request());
        this.saved = this.corrections.size > 0;
        this.saveButton.textContent = "Saved";
        announce(`Saved to ${answer.file}`);
        this.outputNote.textContent = `saved to ${answer.file}`;
      } catch (error) {
        this.outputNote.textContent = error.message;
        announce(error.message);
      }
    },
  });
})();
