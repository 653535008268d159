/** Fleets that are told apart; an installation with more has the rest as `other`. Names of fleets are configuration, no project's. */
export const FLEETS = { most: 200 } as const;
