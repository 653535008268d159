import { useEffect, useState } from 'react';

/** Token in the fragment of the URL. Browsers do not send it to servers, so a form does. Null until hydration. */
export function useLinkToken(): string | null {
  const [token, setToken] = useState<string | null>(null);
  useEffect(() => setToken(location.hash.slice(1)), []);
  return token;
}
