import { secretPlaceholder } from '../workflow/render.ts';

const placeholder = /\{\{\s*inputs\.([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g;
const credential = /\{\{\s*credential\.([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g;

/** Names of inputs in a text, `{{inputs.password}}`: secrets stand so, and what only looks like one does, too. */
export const inputPlaceholdersIn = (text: string): string[] =>
  [...text.matchAll(placeholder)].map(([, name]) => name ?? '');

/** Names in a text that are those of secrets of the run. */
export const secretNamesIn = (text: string, secrets: readonly string[]): string[] =>
  inputPlaceholdersIn(text).filter((name) => secrets.includes(name));

/** How a model is told of a secret, and types it. */
export const credentialPlaceholder = (name: string): string => `{{credential.${name}}}`;

/** A text as a model sees it: secrets of the run stand by their names, as credentials. */
export const toCredentialPlaceholders = (text: string, secrets: readonly string[]): string =>
  text.replace(placeholder, (whole, name: string) => (secrets.includes(name) ? credentialPlaceholder(name) : whole));

/** A text of a model as a run has it. Models that were told otherwise, and what is kept of them, say it as runs do. */
export const fromCredentialPlaceholders = (text: string, secrets: readonly string[]): string =>
  text.replace(credential, (whole, name: string) => (secrets.includes(name) ? secretPlaceholder(name) : whole));

/** Names in a text of a run that a model says as those of secrets, and that are none. */
export const unknownCredentialNames = (text: string): string[] =>
  [...text.matchAll(credential)].map(([, name]) => name ?? '');
