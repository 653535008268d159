import { useEffect, useState } from 'react';

/** What is behind the `#` of the page's address: browsers send it to no server, so a form does. Empty until the page is alive. */
export function useLinkToken(): string {
  const [token, setToken] = useState('');
  useEffect(() => setToken(location.hash.slice(1)), []);
  return token;
}
