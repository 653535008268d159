/** Rules of a robots.txt for one agent (RFC 9309). */
export interface Robots {
  /** The rule that disallows a path, as in the file; null: the path is allowed. */
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

/** Maximum number of characters. RFC 9309, 2.5 requires at least 500 KiB. */
const MAX_CHARS = 512_000;

/**
 * Parses a robots.txt for an agent.
 * @param agents names of the agent; without a group for one of them, the group `*` applies
 */
export function parseRobots(text: string, agents: readonly string[]): Robots {
  const groups = parseGroups(text.slice(0, MAX_CHARS));
  const names = new Set(agents.map((agent) => agent.toLowerCase()));
  const ownGroups = groups.filter((group) => group.agents.some((agent) => names.has(agent)));
  const rules = (ownGroups.length > 0 ? ownGroups : groups.filter((group) => group.agents.includes('*'))).flatMap(
    (group) => group.rules,
  );
  return {
    refuses: (path) => {
      if (path === '/robots.txt') return null;
      // The longest match wins; of two equal ones the one that allows.
      let best: Rule | null = null;
      for (const rule of rules) {
        if (!matches(rule.pattern, path)) continue;
        const isLonger = best === null || rule.pattern.length > best.pattern.length;
        if (isLonger || (rule.allows && rule.pattern.length === best?.pattern.length)) best = rule;
      }
      return best && !best.allows ? `Disallow: ${best.pattern}` : null;
    },
  };
}

function parseGroups(text: string): Group[] {
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
      // An empty one allows everything; it also ends the list of agents.
      group.rules.push({ allows: true, pattern: '/' });
    }
  }
  return groups;
}

/** `*` matches anything, a final `$` the end. No regular expression, because patterns are untrusted. */
function matches(pattern: string, path: string): boolean {
  const isAnchored = pattern.endsWith('$');
  const parts = normalizeEscapes(isAnchored ? pattern.slice(0, -1) : pattern).split('*');
  const text = normalizeEscapes(path);
  let offset = 0;
  for (const [index, part] of parts.entries()) {
    if (index === 0) {
      if (!text.startsWith(part)) return false;
      offset = part.length;
    } else if (isAnchored && index === parts.length - 1) {
      return text.length - part.length >= offset && text.endsWith(part);
    } else {
      const index = text.indexOf(part, offset);
      if (index < 0) return false;
      offset = index + part.length;
    }
  }
  return !isAnchored || offset === text.length;
}

/** Decodes escapes of unreserved characters. */
function normalizeEscapes(text: string): string {
  return text.replaceAll(/%[0-9A-Fa-f]{2}/g, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : escape.toUpperCase();
  });
}
