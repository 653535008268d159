/** Rules of a robots.txt for one agent (RFC 9309). */
export interface Robots {
  /** The rule by which a path is not to be opened, as it is written; null when it may be. */
  refuses(path: string): string | null;
}

interface Rule {
  readonly allows: boolean;
  readonly pattern: string;
}

interface Group {
  readonly agents: string[];
  readonly rules: Rule[];
}

/** Most characters that are read: RFC 9309, 2.5 asks for 500 KiB at least. */
const MOST_CHARS = 512_000;

/**
 * Reads a robots.txt for an agent.
 * @param agents names by which it may be spoken to; where no group names one of them, the group of `*` holds
 */
export function parseRobots(text: string, agents: readonly string[]): Robots {
  const groups = groupsOf(text.slice(0, MOST_CHARS));
  const names = new Set(agents.map((agent) => agent.toLowerCase()));
  const own = groups.filter((group) => group.agents.some((agent) => names.has(agent)));
  const rules = (own.length > 0 ? own : groups.filter((group) => group.agents.includes('*'))).flatMap(
    (group) => group.rules,
  );
  return {
    refuses: (path) => {
      if (path === '/robots.txt') return null;
      // The longest match wins; of two equal ones the one that allows.
      let best: Rule | null = null;
      for (const rule of rules) {
        if (!matches(rule.pattern, path)) continue;
        const longer = best === null || rule.pattern.length > best.pattern.length;
        if (longer || (rule.allows && rule.pattern.length === best?.pattern.length)) best = rule;
      }
      return best && !best.allows ? `Disallow: ${best.pattern}` : null;
    },
  };
}

function groupsOf(text: string): Group[] {
  const groups: Group[] = [];
  let group: Group | null = null;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, name = '', rest = ''] = /^\s*([A-Za-z-]+)\s*:([^#]*)/.exec(line) ?? [];
    const value = rest.trim();
    const key = name.toLowerCase();
    if (key === 'user-agent') {
      if (!group || group.rules.length > 0) groups.push((group = { agents: [], rules: [] }));
      group.agents.push(value.toLowerCase());
    } else if ((key === 'allow' || key === 'disallow') && value !== '') {
      group?.rules.push({ allows: key === 'allow', pattern: value });
    } else if (key === 'disallow' && group) {
      // An empty one allows everything; it ends the list of agents all the same.
      group.rules.push({ allows: true, pattern: '/' });
    }
  }
  return groups;
}

/** `*` stands for anything, `$` at the end for the end. No regular expression: a site writes the pattern. */
function matches(pattern: string, path: string): boolean {
  const whole = pattern.endsWith('$');
  const parts = decoded(whole ? pattern.slice(0, -1) : pattern).split('*');
  const text = decoded(path);
  let at = 0;
  for (const [index, part] of parts.entries()) {
    if (index === 0) {
      if (!text.startsWith(part)) return false;
      at = part.length;
    } else if (whole && index === parts.length - 1) {
      return text.length - part.length >= at && text.endsWith(part);
    } else {
      const found = text.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
  }
  return !whole || at === text.length;
}

/** Escapes that are the same character either way are compared as the character. */
function decoded(text: string): string {
  return text.replaceAll(/%[0-9A-Fa-f]{2}/g, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : escape.toUpperCase();
  });
}
