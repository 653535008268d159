import { A2uiSurface, type ReactComponentImplementation } from '@a2ui/react/v0_9';
import { MessageProcessor, type A2uiMessage, type SurfaceModel } from '@a2ui/web_core/v0_9';
import { useEffect, useState } from 'react';
import { followStream, type Connection } from '../event-source.ts';
import { catalog } from './a2ui-catalog.tsx';

export interface A2uiStreamProps {
  run: string;
  /** What a person did on the surface, as A2UI says it. */
  onAction: (action: object) => void;
  onConnection: (connection: Connection) => void;
}

type Surface = SurfaceModel<ReactComponentImplementation>;

/** A run as its stream of A2UI 0.9 draws it, resumed on the surface that is there when the connection breaks. */
export default function A2uiStream({ run, onAction, onConnection }: A2uiStreamProps) {
  const [surface, setSurface] = useState<Surface>();
  useEffect(() => {
    const processor = new MessageProcessor([catalog], onAction);
    const subscription = processor.onSurfaceCreated(setSurface);
    let lastId = '';
    const unsubscribe = followStream({
      // Until something whole was told, everything is told anew.
      url: () => `/api/v1/runs/${run}/a2ui${lastId === '' ? '' : `?after=${lastId}`}`,
      onMessage(data, id) {
        const message = JSON.parse(data) as A2uiMessage & { createSurface?: { surfaceId: string } };
        const surfaceId = message.createSurface?.surfaceId;
        if (surfaceId !== undefined && processor.model.getSurface(surfaceId))
          processor.processMessages([{ version: 'v0.9', deleteSurface: { surfaceId } }]);
        processor.processMessages([message]);
        lastId = id;
      },
      onConnection,
    });
    return () => {
      unsubscribe();
      subscription.unsubscribe();
      processor.model.dispose();
      setSurface(undefined);
    };
  }, [run, onAction, onConnection]);
  if (!surface) return <p className="text-sm text-muted">The stream begins…</p>;
  return <A2uiSurface key={surface.id} surface={surface} />;
}
