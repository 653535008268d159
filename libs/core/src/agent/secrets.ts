const placeholder = /\{\{\s*inputs\.([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g;

/** Names in a text that may be those of secrets: `{{inputs.password}}`. */
export const secretsIn = (text: string): string[] => [...text.matchAll(placeholder)].map(([, name]) => name ?? '');
