import { useEffect, useState } from 'react';

/** Token in the fragment of the URL. Browsers do not send it to servers, so a form does. Empty until hydration. */
export function useLinkToken(): string {
  const [token, setToken] = useState('');
  useEffect(() => setToken(location.hash.slice(1)), []);
  return token;
}
