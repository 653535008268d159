/** What Playwright says of a failure, without its call log. */
export const playwrightMessage = (thrown: unknown) =>
  (thrown instanceof Error ? thrown.message : String(thrown)).split('\n')[0]?.replace(/^[\w.]+: (?:Error: )?/, '') ??
  '';
