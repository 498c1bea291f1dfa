import { useState } from 'react'
import type { z } from 'zod'
import { useBusy } from '../../lib/use-busy.ts'
import { ConfirmDialog } from '../confirm-dialog.tsx'
import type { FieldDef, Values } from './field-types.ts'
import { FormDialog } from './form-dialog.tsx'

interface Entry extends Values {
  id: number
  version: number
}

interface EntryDialogs<T extends Entry, S extends z.ZodType> {
  /** As in a sentence: 'critical limit'. */
  noun: string
  nameOf: (entry: T) => string
  schema: S
  fields: readonly FieldDef[]
  columns?: number
  create: (body: z.output<S>) => Promise<unknown>
  update: (entry: T, body: z.output<S>, version: number | undefined) => Promise<unknown>
  remove: (entry: T) => Promise<unknown>
  /** What else a deletion changes. */
  onDeletion: string
}

/** The entries of a short table are added, edited and deleted in dialogs. */
export const useEntryDialogs = <T extends Entry, S extends z.ZodType>(props: EntryDialogs<T, S>) => {
  const { noun, nameOf, schema, fields, columns, create, update, remove, onDeletion } = props
  const [edited, setEdited] = useState<T | 'new' | null>(null)
  const [deleted, setDeleted] = useState<T | null>(null)
  const [isBusy, whileBusy] = useBusy()
  const entry = edited === 'new' || edited === null ? undefined : edited
  const dialogs = (
    <>
      {edited !== null && (
        <FormDialog
          title={entry ? `Edit ${noun}` : `Add ${noun}`}
          subject={entry && nameOf(entry)}
          submitLabel={entry ? 'Save' : 'Add'}
          columns={columns}
          schema={schema}
          fields={fields}
          values={entry}
          version={entry?.version}
          onSubmit={(body, { version }) => (entry ? update(entry, body, version) : create(body))}
          onClose={() => setEdited(null)}
        />
      )}
      <ConfirmDialog
        isOpen={deleted !== null}
        title={`Delete this ${noun}?`}
        subject={deleted ? nameOf(deleted) : ''}
        confirmLabel="Delete"
        isDestructive
        isBusy={isBusy}
        onConfirm={() =>
          whileBusy(async () => {
            if (deleted) await remove(deleted)
            setDeleted(null)
          })
        }
        onCancel={() => setDeleted(null)}
      >
        {onDeletion}
      </ConfirmDialog>
    </>
  )
  return { dialogs, onAdd: () => setEdited('new'), onEdit: setEdited, onDelete: setDeleted }
}
