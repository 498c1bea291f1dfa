import { can } from '@lis/contract/access/permissions.ts'
import { interfaceRoutes, type PartnerCode } from '@lis/contract/interfaces.ts'
import { required } from '@lis/contract/validation.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { z } from 'zod'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { useSave } from '../../lib/use-save.ts'
import { Card } from '../../ui/card.tsx'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { Loaded } from '../../ui/form/record-page.tsx'
import { codeMeaning, useOrderables } from './orderables.ts'

const Table = styled('table')({
  width: '100%',
  borderCollapse: 'collapse',
  '& th': { height: 32, padding: '0 8px', textAlign: 'left', fontSize: 11, fontWeight: 600, color: 'var(--text-2)' },
  '& td': { height: 32, padding: '0 8px', borderTop: '1px solid var(--line)' },
  '& td:last-of-type, & th:last-of-type': { textAlign: 'right' },
  '& td:first-of-type': { fontFamily: 'var(--font-mono)' },
})

const schema = z.object({ code: required('Code', 100), means: required('Test or panel', 20) })
type NewCode = z.infer<typeof schema>

/** The codes of the partner for our tests and panels. */
export const CodeTableCard = ({ partnerId }: { partnerId: number }) => {
  const params = { id: partnerId }
  const options = read(interfaceRoutes.codes, { params })
  const client = useQueryClient()
  const query = useQuery(options)
  const mayEdit = can(useRole(), 'interfaces.manage')
  const [isAdding, setAdding] = useState(false)
  const save = useSave(interfaceRoutes.saveCodes, { isImmediate: true })
  /** The table as it is now: somebody at the desk may have added to it. */
  const change = async (
    changed: (codes: readonly PartnerCode[]) => readonly Pick<PartnerCode, 'code' | 'testId' | 'panelId'>[],
  ) => {
    const { data } = await client.fetchQuery({ ...options, staleTime: 0 })
    const codes = changed(data).map(({ code, testId, panelId }) => ({ code, testId, panelId }))
    await save({ params, body: { codes } })
  }
  return (
    <Card title="Codes" actions={mayEdit && <Button onClick={() => setAdding(true)}>Add code</Button>}>
      <Loaded query={query}>
        {({ data }) => (
          <Codes
            codes={data}
            onRemove={mayEdit ? (gone) => change((codes) => codes.filter(({ code }) => code !== gone)) : undefined}
          />
        )}
      </Loaded>
      {isAdding && (
        <AddCode
          onClose={() => setAdding(false)}
          onAdd={({ code, means }) =>
            change((codes) => [...codes.filter((one) => one.code !== code), codeMeaning(code, means)])
          }
        />
      )}
    </Card>
  )
}

interface CodesProps {
  codes: readonly PartnerCode[]
  onRemove: ((code: string) => Promise<void>) | undefined
}

const Codes = ({ codes, onRemove }: CodesProps) => {
  if (codes.length === 0) return <p>No codes yet. A code equal to one of ours, or to its LOINC, needs none.</p>
  return (
    <Table aria-label="Codes">
      <thead>
        <tr>
          <th scope="col">Their code</th>
          <th scope="col">Our test or panel</th>
          {onRemove && (
            <th scope="col">
              <span hidden>Remove</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {codes.map(({ code, testCode, panelCode }) => (
          <tr key={code}>
            <td>{code}</td>
            <td>{testCode ?? `${panelCode} (panel)`}</td>
            {onRemove && (
              <td>
                {/* The failure has been announced. */}
                <Button
                  variant="text"
                  aria-label={`Remove ${code}`}
                  onClick={() => onRemove(code).catch(() => undefined)}
                >
                  Remove
                </Button>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </Table>
  )
}

const AddCode = ({ onAdd, onClose }: { onAdd: (code: NewCode) => Promise<void>; onClose: () => void }) => {
  const { options } = useOrderables()
  return (
    <FormDialog
      title="Add code"
      submitLabel="Add"
      schema={schema}
      fields={[
        {
          name: 'code',
          label: 'Code',
          kind: 'text',
          isRequired: true,
          hint: 'As in OBR-4.1 or the code of a FHIR coding',
        },
        { name: 'means', label: 'Test or panel', kind: 'autocomplete', options, isRequired: true },
      ]}
      onSubmit={onAdd}
      onClose={onClose}
    />
  )
}
