/** Maximum number of fleets with a separate label; others are `other`. Fleet names are configuration and belong to no project. */
export const FLEET_LABEL = { maxValues: 200 } as const;
