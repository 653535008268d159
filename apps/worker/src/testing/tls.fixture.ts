import { createHash, X509Certificate } from 'node:crypto';

/*
 * A certificate for shop.test and evil.test that its own key signed: nobody trusts it. Made once (`openssl req -x509 -newkey ec`), good for
 * a hundred years, and good for nothing else.
 */

export const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgQ4L8jEPzO4hwU73r
9HsYB2aMfc5hpa0pzKzkp6YD4yihRANCAASrxLtu6hyrRusdVbelXfLfgCeQOHIU
/RbW+za8fG588Z0aYXL9dFvnSs3J8YoE7+XZmd6nWzPp0lha42C0ics2
-----END PRIVATE KEY-----
`;

export const cert = `-----BEGIN CERTIFICATE-----
MIIBoTCCAUagAwIBAgIURYB9397d3aBYM5+cj01zDiO5sg4wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJc2hvcC50ZXN0MCAXDTI2MTEyMjA5MDcwNloYDzIxMjYxMDI5
MDkwNzA2WjAUMRIwEAYDVQQDDAlzaG9wLnRlc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASrxLtu6hyrRusdVbelXfLfgCeQOHIU/RbW+za8fG588Z0aYXL9dFvn
Ss3J8YoE7+XZmd6nWzPp0lha42C0ics2o3QwcjAdBgNVHQ4EFgQULNMK2Th0gC4u
2upooFknCj1pIsIwHwYDVR0jBBgwFoAULNMK2Th0gC4u2upooFknCj1pIsIwDwYD
VR0TAQH/BAUwAwEB/zAfBgNVHREEGDAWgglzaG9wLnRlc3SCCWV2aWwudGVzdDAK
BggqhkjOPQQDAgNJADBGAiEA7n64HxXABHZ39YiLL83chtYYFg0RlQO3CGkHDM9X
u5wCIQDXiSyhnUOLAsTMWqUHMp1QUwqvrY1P4U14t62byvAL/g==
-----END CERTIFICATE-----
`;

/** The argument with which Chromium takes this certificate, and no other that it does not trust. */
export const trusting = (): string => {
  const spki = new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' });
  return `--ignore-certificate-errors-spki-list=${createHash('sha256').update(spki).digest('base64')}`;
};
