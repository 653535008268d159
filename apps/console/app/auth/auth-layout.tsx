import { Button, Field, Input, Notice } from '@pilothouse/ui-kit';
import type { ReactNode } from 'react';
import { Form, useNavigation } from 'react-router';
import { Logo } from '../shell/logo.tsx';

interface Wrong {
  message: string;
  fields?: { pointer: string; detail: string }[];
}

export interface EntranceProps {
  title: string;
  /** What is asked for. */
  children: ReactNode;
  button: string;
  failure?: Wrong | undefined;
  /** Below the form. */
  foot?: ReactNode;
}

/** A page before the house: one form in its middle. */
export function Entrance({ title, children, button, failure, foot }: EntranceProps) {
  const busy = useNavigation().state !== 'idle';
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <div className="w-full max-w-sm">
        <div className="mb-6 flex items-center justify-center gap-3">
          <Logo className="size-9" />
          <h1 className="text-xl font-semibold">{title}</h1>
        </div>
        <Form method="post" className="grid gap-4 rounded-lg border border-line bg-surface p-5">
          {failure && !failure.fields?.length && <Notice tone="bad">{failure.message}</Notice>}
          {children}
          <Button type="submit" look="primary" disabled={busy}>
            {busy ? 'One moment…' : button}
          </Button>
        </Form>
        {foot && <div className="mt-4 text-center text-sm text-muted">{foot}</div>}
      </div>
    </main>
  );
}

export interface EntryProps {
  label: string;
  name: string;
  type?: 'text' | 'email' | 'password';
  autoComplete?: string;
  hint?: ReactNode;
  first?: boolean;
  value?: string;
  failure?: Wrong | undefined;
}

/** A field of such a form, with what the API says of it. */
export const Entry = ({ label, name, type = 'text', autoComplete, hint, first, value, failure }: EntryProps) => (
  <Field label={label} hint={hint} error={failure?.fields?.find(({ pointer }) => pointer === `/${name}`)?.detail}>
    {(given) => (
      <Input
        {...given}
        name={name}
        type={type}
        autoComplete={autoComplete}
        autoFocus={first}
        defaultValue={value}
        required
      />
    )}
  </Field>
);
