/** Fleets that are told apart; an installation with more has the rest as `other`. Names of fleets are configuration, no project's. */
export const FLEET_LABEL = { maxValues: 200 } as const;
