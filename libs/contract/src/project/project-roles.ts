/** Roles: a viewer reads, an operator submits and cancels runs, an admin publishes workflows and manages keys and fleets. */
export const roles = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof roles)[number];

/** True if a role includes another. Each role includes all lower ones. */
export const roleIncludes = (role: Role, required: Role) => roles.indexOf(role) >= roles.indexOf(required);
