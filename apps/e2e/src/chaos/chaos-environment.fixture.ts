/** The environment of this process: what the suite hands on to itself. */
export const environment = (): NodeJS.ProcessEnv => ({ ...process.env });
