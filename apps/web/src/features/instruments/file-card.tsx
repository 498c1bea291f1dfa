import { type FileColumn, fileColumnLabels, instrumentWorkRoutes as routes } from '@lis/contract/instrument-work.ts'
import Button from '@mui/material/Button'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { read } from '../../lib/query.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Card } from '../../ui/card.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { InfoList } from '../../ui/form/info-list.tsx'
import { Loaded } from '../../ui/form/record-page.tsx'

const names = Object.keys(fileColumnLabels) as FileColumn[]
const needed: readonly FileColumn[] = ['specimenId', 'code', 'value']
const fields: readonly FieldDef[] = names.map((name) => ({
  name,
  label: fileColumnLabels[name],
  kind: 'text',
  isRequired: needed.includes(name),
}))

/** Bytes that are not UTF-8 come from a program that writes Windows-1252. */
const textOf = async (file: File): Promise<string> => {
  const bytes = await file.arrayBuffer()
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

interface FileCardProps {
  instrumentId: number
  mayEdit: boolean
}

/** Results from files: the column settings, and the upload. */
export const FileCard = ({ instrumentId, mayEdit }: FileCardProps) => {
  const params = { id: instrumentId }
  const query = useQuery(read(routes.fileColumns, { params }))
  const save = useSave(routes.saveFileColumns)
  const take = useSave(routes.takeFile, { failure: 'error' })
  const [isEditing, setEditing] = useState(false)
  const [isBusy, whileBusy] = useBusy()
  const input = useRef<HTMLInputElement>(null)
  const upload = (file: File) =>
    whileBusy(async () => take({ params, body: { fileName: file.name, content: await textOf(file) } }))
  return (
    <Card
      title="Files"
      actions={
        <>
          {mayEdit && <Button onClick={() => setEditing(true)}>Edit columns</Button>}
          <ActionButton variant="contained" isBusy={isBusy} onClick={() => input.current?.click()}>
            Upload file
          </ActionButton>
          <input
            ref={input}
            type="file"
            hidden
            accept=".csv,.txt"
            aria-label="File with results"
            onChange={(event) => {
              const [file] = event.target.files ?? []
              if (file) void upload(file)
              // Or choosing the same file again would not fire a change.
              event.target.value = ''
            }}
          />
        </>
      }
    >
      <Loaded query={query}>
        {({ data }) => (
          <>
            {data.specimenId === null ? (
              <p>The columns of its files are not set up yet: no file can be imported.</p>
            ) : (
              <InfoList items={names.map((name) => [fileColumnLabels[name], data[name]])} />
            )}
            <p style={{ marginTop: 8 }}>
              Files in the folder <code>{data.folder}</code> of the server are imported automatically.
            </p>
            {isEditing && (
              <FormDialog
                title="Columns of its files"
                intro="The heading of the column that holds each of these; empty where there is none."
                submitLabel="Save"
                columns={2}
                schema={routes.saveFileColumns.body}
                values={{ ...data }}
                version={data.version}
                fields={fields}
                onSubmit={(body, { version }) => save({ params, body, headers: ifMatch(version) })}
                onClose={() => setEditing(false)}
              />
            )}
          </>
        )}
      </Loaded>
    </Card>
  )
}
