import { Button, buttonClass, Field, Input, Notice } from '@pilothouse/ui-kit';
import type { ReactNode } from 'react';
import { Form, Link, useNavigation } from 'react-router';
import { Logo } from '../page/logo.tsx';

interface FormFailure {
  message: string;
  fields?: { pointer: string; detail: string }[];
}

export interface AuthLayoutProps {
  title: string;
  /** Fields of the form. */
  children: ReactNode;
  button: string;
  failure?: FormFailure | undefined;
  /** Content below the form. */
  footer?: ReactNode;
}

/** Layout of pages without a session: one form in the center. */
export function AuthLayout({ title, children, button, failure, footer }: AuthLayoutProps) {
  const isBusy = useNavigation().state !== 'idle';
  return (
    <AuthPage title={title}>
      <Form method="post" className="grid gap-4 rounded-lg border border-line bg-surface p-5">
        {failure && !failure.fields?.length && <Notice tone="bad">{failure.message}</Notice>}
        {children}
        <Button type="submit" variant="primary" disabled={isBusy}>
          {isBusy ? 'Please wait…' : button}
        </Button>
      </Form>
      {footer && <div className="mt-4 text-center text-sm text-muted">{footer}</div>}
    </AuthPage>
  );
}

/** Page of a link whose token is missing, e.g. because only a part of it was copied. */
export const IncompleteLink = ({ title }: { title: string }) => (
  <AuthPage title={title}>
    <div className="grid gap-4">
      <Notice tone="bad">The link is incomplete. Copy all of it, or ask an admin for another one.</Notice>
      <Link to="/sign-in" className={buttonClass()}>
        Sign in
      </Link>
    </div>
  </AuthPage>
);

const AuthPage = ({ title, children }: Pick<AuthLayoutProps, 'title' | 'children'>) => (
  <main className="grid min-h-dvh place-items-center p-4">
    <div className="w-full max-w-sm">
      <div className="mb-6 flex items-center justify-center gap-3">
        <Logo className="size-9" />
        <h1 className="text-xl font-semibold">{title}</h1>
      </div>
      {children}
    </div>
  </main>
);

export interface AuthFieldProps {
  label: string;
  name: string;
  type?: 'text' | 'email' | 'password';
  autoComplete?: string;
  hint?: ReactNode;
  autoFocus?: boolean;
  value?: string;
  failure?: FormFailure | undefined;
}

/** Field of an authentication form, with the error that the API reported for it. */
export const AuthField = ({
  label,
  name,
  type = 'text',
  autoComplete,
  hint,
  autoFocus,
  value,
  failure,
}: AuthFieldProps) => (
  <Field label={label} hint={hint} error={failure?.fields?.find(({ pointer }) => pointer === `/${name}`)?.detail}>
    {(controlProps) => (
      <Input
        {...controlProps}
        name={name}
        type={type}
        autoComplete={autoComplete}
        autoFocus={autoFocus}
        defaultValue={value}
        required
      />
    )}
  </Field>
);
