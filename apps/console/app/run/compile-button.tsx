import { Button } from '@pilothouse/ui-kit';
import { Workflow } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';

const CompileDialog = lazy(() => import('./compile-dialog.tsx'));

/** Button that opens the dialog. @param name workflow name of the run; '': none */
export function CompileButton({ run, name }: { run: string; name: string }) {
  const [isOpen, setIsOpen] = useState(false);
  // The dialog stays mounted after its first use, so that it can return the focus when it closes.
  const [isMounted, setIsMounted] = useState(false);
  const open = () => {
    setIsMounted(true);
    setIsOpen(true);
  };
  return (
    <>
      <Button onClick={open}>
        <Workflow aria-hidden="true" /> Compile to workflow
      </Button>
      {isMounted && (
        <Suspense>
          <CompileDialog run={run} name={name} open={isOpen} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
