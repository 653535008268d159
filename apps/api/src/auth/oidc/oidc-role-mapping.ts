import { roleIncludes, type Role } from '@pilothouse/contract/project/project-roles';
import type { OidcRole } from '@pilothouse/contract/project/user.schema';

/**
 * Maps the claims of a user to roles by project slug: the highest role whose rule matches, null if no rule does.
 * @param claims of the provider about the user
 */
export function mapClaimsToRoles(
  rules: readonly OidcRole[],
  claims: Readonly<Record<string, unknown>>,
): Map<string, Role | null> {
  const roles = new Map<string, Role | null>(rules.map(({ project }) => [project, null]));
  for (const { claim, value, project, role } of rules) {
    const current = roles.get(project) ?? null;
    if (hasValue(claimOf(claims, claim), value) && (current === null || roleIncludes(role, current)))
      roles.set(project, role);
  }
  return roles;
}

/** Reads a claim by its name, which may contain dots, or by its path. */
function claimOf(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name
    .split('.')
    .reduce<unknown>(
      (part, field) =>
        typeof part === 'object' && part !== null && Object.hasOwn(part, field)
          ? (part as Record<string, unknown>)[field]
          : undefined,
      claims,
    );
}

const hasValue = (claim: unknown, value: string) => [claim].flat().some((item) => String(item) === value);
