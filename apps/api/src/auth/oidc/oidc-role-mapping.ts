import { roleIncludes, type OidcRole, type Role } from '@pilothouse/contract';

/**
 * What rules give to somebody, by the slug of the project: the highest role that fits, null where none does.
 * @param claims what the provider says of them
 */
export function mapClaimsToRoles(
  rules: readonly OidcRole[],
  claims: Readonly<Record<string, unknown>>,
): Map<string, Role | null> {
  const roles = new Map<string, Role | null>(rules.map(({ project }) => [project, null]));
  for (const { claim, value, project, role } of rules) {
    const has = roles.get(project) ?? null;
    if (says(claimOf(claims, claim), value) && (has === null || roleIncludes(role, has))) roles.set(project, role);
  }
  return roles;
}

/** A claim by its name, which may have dots, or by its path. */
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

const says = (claim: unknown, value: string) => [claim].flat().some((one) => String(one) === value);
