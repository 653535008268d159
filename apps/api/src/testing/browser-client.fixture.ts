import type { SessionView } from '@pilothouse/contract/project/user.schema';
import type { TestResponse, TestRequestOptions, TestApi } from './test-api.fixture.ts';

/** A browser client: stores the cookie of the API, and sends the headers of our pages. */
export interface BrowserClient {
  /** The last sign-in answer; undefined: not signed in. */
  session: SessionView | undefined;
  cookie: string | undefined;
  /** Sends a request like our pages. @param options `headers` override those of the page */
  call<Body = never>(
    method: string,
    path: string,
    options?: Omit<TestRequestOptions, 'key'>,
  ): Promise<TestResponse<Body>>;
}

/** Sends the headers of our pages. @param origin origin of the page, if not the API itself */
export function openBrowserClient(api: TestApi, origin = api.url): BrowserClient {
  const forwarded = origin === api.url ? {} : forwardedOf(new URL(origin));
  const visitor: BrowserClient = {
    session: undefined,
    cookie: undefined,
    async call<Body>(method: string, path: string, { headers, ...options }: TestRequestOptions = {}) {
      const answer = await api.call<Body>(method, path, {
        ...options,
        key: null,
        headers: {
          ...forwarded,
          origin,
          'sec-fetch-site': 'same-origin',
          ...(visitor.cookie !== undefined && { cookie: visitor.cookie }),
          ...(visitor.session && { 'pilothouse-csrf': visitor.session.csrf }),
          ...headers,
        },
      });
      const [cookie] = answer.headers.getSetCookie();
      if (cookie === undefined) return answer;
      const isGone = cookie.includes('Max-Age=0');
      visitor.cookie = isGone ? undefined : cookie.split(';')[0];
      visitor.session = isGone ? undefined : (answer.body as SessionView);
      return answer;
    },
  };
  return visitor;
}

const forwardedOf = ({ protocol, host }: URL) => ({
  'x-forwarded-proto': protocol.slice(0, -1),
  'x-forwarded-host': host,
});
