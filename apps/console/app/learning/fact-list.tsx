import type { ReactNode } from 'react';

/** Names with their values, in columns. */
export const FactList = ({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) => (
  <dl className="grid grid-cols-2 gap-x-6 gap-y-2 text-sm lg:grid-cols-3 xl:grid-cols-4">
    {facts.map(([name, value]) => (
      <div key={name} className="min-w-0">
        <dt className="text-xs text-muted">{name}</dt>
        <dd className="wrap-anywhere">{value}</dd>
      </div>
    ))}
  </dl>
);
