/** What Playwright says of a failure, without its call log. */
export const firstLine = (thrown: unknown) =>
  (thrown instanceof Error ? thrown.message : String(thrown)).split('\n')[0]?.replace(/^[\w.]+: (?:Error: )?/, '') ??
  '';
