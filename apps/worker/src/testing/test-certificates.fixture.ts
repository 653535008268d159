import { createHash, X509Certificate } from 'node:crypto';

/*
 * A self-signed, untrusted certificate for shop.test and evil.test. Created once (`openssl req -x509 -newkey ec`), valid for a hundred
 * years. For tests only.
 */

export const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgQ4L8jEPzO4hwU73r
9HsYB2aMfc5hpa0pzKzkp6YD4yihRANCAASrxLtu6hyrRusdVbelXfLfgCeQOHIU
/RbW+za8fG588Z0aYXL9dFvnSs3J8YoE7+XZmd6nWzPp0lha42C0ics2
-----END PRIVATE KEY-----
`;

export const untrustedKey = `-----BEGIN CERTIFICATE-----
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

/** An untrusted authority, and its certificate for intranet.test and 127.0.0.1. Valid as long, and for tests only. */
export const testAuthority = `-----BEGIN CERTIFICATE-----
MIIBqTCCAU+gAwIBAgIUZSJmRiVHp0JjA9NxY4ApZHx6jjswCgYIKoZIzj0EAwIw
ITEfMB0GA1UEAwwWSGFyYm91ciB0ZXN0IGF1dGhvcml0eTAgFw0yNjExMjIxMTQ4
MTBaGA8yMTI2MTAyOTExNDgxMFowITEfMB0GA1UEAwwWSGFyYm91ciB0ZXN0IGF1
dGhvcml0eTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABN3tpW70FLc26fNE6YEs
padZMuD7AR9hrbEmcquWx3oj0Dy1vH6gaqa5EutfHKyMe5YE1c/+Lx11CRUG/5Ye
CeSjYzBhMB0GA1UdDgQWBBQ93J3jhz7s+0zMuKItq7ubscbyYTAfBgNVHSMEGDAW
gBQ93J3jhz7s+0zMuKItq7ubscbyYTAPBgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB
/wQEAwICBDAKBggqhkjOPQQDAgNIADBFAiEA5LN8mdrGwiTUUAI82cb4PTWT4Hjz
LtNuwS4QuiEDXU8CIDmt0FA79xN9bhj2bjKtFMtVBUe6M5jzT+IhOl9poWvY
-----END CERTIFICATE-----
`;

export const authoritySignedSite = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgTqm86MUhLA8z86Pb
yYV3/ukiErPWY5JkppLxR0iNs/2hRANCAATYl1K0A7l8QKjpe+/e4pZwZlfBgTDM
tOnSriMSZ5hsEbRouY+cCzEYRPX/+lRK1sIsTaVm6FTqUxhp65ZEWKFO
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBvDCCAWOgAwIBAgIUdLCE4398jAzzTDD+Ij5634ZeNYcwCgYIKoZIzj0EAwIw
ITEfMB0GA1UEAwwWSGFyYm91ciB0ZXN0IGF1dGhvcml0eTAgFw0yNjExMjIxMTQ4
MTFaGA8yMTI2MTAyOTExNDgxMVowFDESMBAGA1UEAwwJMTI3LjAuMC4xMFkwEwYH
KoZIzj0CAQYIKoZIzj0DAQcDQgAE2JdStAO5fECo6Xvv3uKWcGZXwYEwzLTp0q4j
EmeYbBG0aLmPnAsxGET1//pUStbCLE2lZuhU6lMYaeuWRFihTqOBgzCBgDAeBgNV
HREEFzAVgg1pbnRyYW5ldC50ZXN0hwR/AAABMAkGA1UdEwQCMAAwEwYDVR0lBAww
CgYIKwYBBQUHAwEwHQYDVR0OBBYEFNf2IPhPUP42crknxfGg0PjftaK2MB8GA1Ud
IwQYMBaAFD3cneOHPuz7TMy4oi2ru5uxxvJhMAoGCCqGSM49BAMCA0cAMEQCIGy1
+TfSwV9ARDnFRfoZ88ek9iIW2W5tWn/uj6tg2w60AiBoWRmIBcqs+BlsCq/mFWUB
RecTCKdL4D+Ap0P17Stqug==
-----END CERTIFICATE-----
`,
};

/** Chromium argument that accepts this certificate, and no other untrusted one. */
export const chromiumTrustArgument = (): string => {
  const spki = new X509Certificate(untrustedKey).publicKey.export({ type: 'spki', format: 'der' });
  return `--ignore-certificate-errors-spki-list=${createHash('sha256').update(spki).digest('base64')}`;
};
