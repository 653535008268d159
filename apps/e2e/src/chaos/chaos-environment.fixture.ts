/** The environment of this process, which the suite passes on to its own processes. */
export const environment = (): NodeJS.ProcessEnv => ({ ...process.env });
