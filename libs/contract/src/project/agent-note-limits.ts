/** Characters of a note of a project for agents. */
export const MAX_AGENT_NOTE_CHARACTERS = 500;

/** Notes of a project for agents. */
export const MAX_AGENT_NOTES = 100;
