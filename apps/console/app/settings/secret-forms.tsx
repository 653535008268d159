import { Button, Card, Dialog, Field, Input } from '@pilothouse/ui-kit';
import { useEffect, useRef, useState } from 'react';
import { Form, useNavigation } from 'react-router';
import type { Failure } from '../api/api-client.server.ts';

const valueAttributes = { name: 'value', type: 'password', required: true, autoComplete: 'new-password' } as const;

/** Form that creates a secret. @param saved the secret that was stored last: the form is emptied */
export function NewSecretForm({ failure, saved }: { failure: Failure | undefined; saved: object | null }) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (saved) form.current?.reset();
  }, [saved]);
  // An answered form can be sent again while the page is read.
  const busy = useNavigation().state === 'submitting';
  const errorOf = (...pointers: string[]) => failure?.fields?.find(({ pointer }) => pointers.includes(pointer))?.detail;
  return (
    <Card title="Create secret">
      <Form ref={form} method="post" className="flex flex-wrap items-start gap-3">
        <Field
          label="Name"
          hint="Lower-case letters, digits and hyphens"
          error={errorOf('path/secret', '/name')}
          className="min-w-48 flex-1"
        >
          {(controlProps) => <Input {...controlProps} name="name" required maxLength={63} autoComplete="off" />}
        </Field>
        <Field label="Value" hint="Encrypted. Never shown again" error={errorOf('/value')} className="min-w-48 flex-1">
          {(controlProps) => <Input {...controlProps} {...valueAttributes} />}
        </Field>
        <Field label="Description (optional)" error={errorOf('/description')} className="min-w-48 flex-1">
          {(controlProps) => <Input {...controlProps} name="description" maxLength={500} autoComplete="off" />}
        </Field>
        <Button type="submit" name="intent" value="create-secret" variant="primary" disabled={busy} className="mt-6">
          Create secret
        </Button>
      </Form>
    </Card>
  );
}

/** Button that opens the form for another value. */
export function ReplaceSecretButton({ name }: { name: string }) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button aria-label={`Replace ${name}`} onClick={() => setOpen(true)}>
        Replace
      </Button>
      <Dialog open={open} onClose={close} title={`Replace the value of ${name}`}>
        <Form method="post" className="grid gap-3" onSubmit={close}>
          <input type="hidden" name="name" value={name} />
          <input type="hidden" name="intent" value="replace-secret" />
          <Field label="New value" hint="Queued and recovered runs type the new value, too.">
            {(controlProps) => <Input {...controlProps} {...valueAttributes} />}
          </Field>
          <div className="flex justify-end gap-2">
            <Button onClick={close}>Cancel</Button>
            <Button type="submit" variant="primary">
              Replace value
            </Button>
          </div>
        </Form>
      </Dialog>
    </>
  );
}
