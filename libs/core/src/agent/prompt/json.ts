/** The object that an answer is, or has in it: models wrap what they were asked for in a sentence or in marks of code. Null: there is none. */
export function parseJsonObject(text: string): Readonly<Record<string, unknown>> | null {
  return parsed(text) ?? parsed(text.slice(Math.max(0, text.indexOf('{')), text.lastIndexOf('}') + 1));
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
