import { type Sort, sortKeys } from '@lis/contract/kit/list-query.ts'
import type { ColumnSetting } from '@lis/contract/list-settings.ts'
import { messages } from '@lis/contract/messages.ts'
import { type SubmitEvent, useState } from 'react'
import { ApiError } from '../../lib/api-error.ts'
import type { SmartFilterEntry } from '../../lib/list-address.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { ActionButton } from '../action-button.tsx'
import { useNotify } from '../notices.tsx'
import { TextField } from '../text-field.tsx'
import { Section } from './panel-parts.tsx'
import { toSmartValues } from './smart-filter.ts'
import { useCreateView } from './use-saved-views.ts'

interface CustomViewFormProps {
  screen: string
  /** Null if the form is invalid. */
  entries: () => SmartFilterEntry[] | null
  sort: Sort | null
  columns: readonly ColumnSetting[] | null
  name: string
  onName: (name: string) => void
}

/** Saves the form's filter under a name, whether it has been applied or not. */
export const CustomViewForm = ({ screen, entries, sort, columns, name, onName }: CustomViewFormProps) => {
  const notify = useNotify()
  const create = useCreateView()
  const [error, setError] = useState<string>()
  const [isBusy, whileBusy] = useBusy()
  const refuse = (message: string) => {
    notify.warning(message)
    setError(message)
  }
  const save = async (event: SubmitEvent) => {
    event.preventDefault()
    if (isBusy) return
    const asked = entries()
    if (name.trim() === '') return refuse(messages.smartViewNameRequired)
    if (asked === null) return
    const values = toSmartValues(asked)
    if (Object.keys(values).length === 0) return refuse(messages.smartViewEmpty)
    setError(undefined)
    await whileBusy(
      async () => {
        await create({
          body: {
            smartName: name.trim(),
            smartScreen: screen,
            smartValues: values,
            ...(sort && { sort: sortKeys(sort) }),
            ...(columns && { columns: [...columns] }),
          },
        })
        onName('')
      },
      (failure) => {
        // Announced by `useSave`; also shown here.
        if (failure instanceof ApiError && !failure.isCancelled) setError(failure.message)
      },
    )
  }
  return (
    <form onSubmit={save} aria-labelledby="custom-smart-view" noValidate>
      <Section sx={{ borderTop: '1px solid var(--line)' }}>
        <h2 id="custom-smart-view">Custom Smart View</h2>
        <TextField
          label="Name"
          value={name}
          error={error}
          autoComplete="off"
          onChange={(event) => {
            onName(event.target.value)
            setError(undefined)
          }}
        />
        <ActionButton type="submit" isBusy={isBusy}>
          Save as New Smart View
        </ActionButton>
      </Section>
    </form>
  )
}
