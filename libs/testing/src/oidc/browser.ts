/** Follows redirects between servers as a browser does, and keeps the cookies of each. */
export interface OidcClient {
  /** Follows redirects from an address on, until one leads to none of `within`. @returns where it leads, and all answers on the way */
  follow(url: string, within: readonly string[]): Promise<{ location: string; answers: Response[] }>;
  /** Cookies by origin, as a `Cookie` header. */
  cookies(origin: string): string;
}

/** A browser that follows redirects, with a jar. */
export function createOidcClient(): OidcClient {
  const jars = new Map<string, Map<string, string>>();
  const cookies = (origin: string) =>
    [...(jars.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  return {
    cookies,
    async follow(url, within) {
      const answers: Response[] = [];
      for (let next = url; ;) {
        const { origin } = new URL(next);
        const answer = await fetch(next, { redirect: 'manual', headers: { cookie: cookies(origin) } });
        await answer.arrayBuffer();
        answers.push(answer);
        const jar = jars.get(origin) ?? new Map<string, string>();
        jars.set(origin, jar);
        for (const cookie of answer.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
          if (value === '') jar.delete(name);
          else jar.set(name, value);
        }
        const location = answer.headers.get('location');
        if (location === null) throw new Error(`${next} answered ${answer.status} and leads nowhere`);
        next = new URL(location, next).href;
        if (answers.length > 20) throw new Error(`Sent in circles, at last to ${next}`);
        if (!within.some((start) => next.startsWith(start))) return { location, answers };
      }
    },
  };
}
