import { secretPlaceholder } from '../workflow/render.ts';

const placeholder = /\{\{\s*inputs\.([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g;
const credential = /\{\{\s*credential\.([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g;

/** Names in a text that may be those of secrets: `{{inputs.password}}`. */
export const secretsIn = (text: string): string[] => [...text.matchAll(placeholder)].map(([, name]) => name ?? '');

/** How a model is told of a secret, and types it. */
export const credentialNamed = (name: string): string => `{{credential.${name}}}`;

/** A text as a model sees it: secrets of the run stand by their names, as credentials. */
export const withCredentials = (text: string, secrets: readonly string[]): string =>
  text.replace(placeholder, (whole, name: string) => (secrets.includes(name) ? credentialNamed(name) : whole));

/** A text of a model as a run has it. Models that were told otherwise, and what is kept of them, say it as runs do. */
export const fromCredentials = (text: string): string =>
  text.replace(credential, (_, name: string) => secretPlaceholder(name));
