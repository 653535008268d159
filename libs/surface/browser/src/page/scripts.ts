/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/** The texts of scripts that a CSS selector finds, and what other scripts with data there are. Runs in the page. */
export const scriptTexts = (css: string): { texts: string[]; others: string[]; wrong: string } => {
  try {
    const texts = [...document.querySelectorAll(css)].map((script) => script.textContent ?? '');
    const others = [...document.querySelectorAll('script[type*=json i], script[id]')]
      .map((script) => (script.id ? `#${script.id}` : `script[type="${script.getAttribute('type') ?? ''}"]`))
      .slice(0, 20);
    return { texts, others, wrong: '' };
  } catch {
    return { texts: [], others: [], wrong: `${css} is no CSS selector` };
  }
};
