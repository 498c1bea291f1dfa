import { instrumentWorkRoutes as routes, type WorkListRow } from '@lis/contract/instrument-work.ts'
import type { Instrument } from '@lis/contract/instruments.ts'
import Button from '@mui/material/Button'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { openFile } from '../../domain/open-file.ts'
import { read } from '../../lib/query.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Card } from '../../ui/card.tsx'
import { FieldInput } from '../../ui/form/field-input.tsx'
import { CardTable } from '../../ui/table/card-table.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Timestamp } from '../../ui/timestamp.tsx'

const rowId = ({ position }: WorkListRow) => String(position)
const rowName = ({ specimenId }: WorkListRow) => specimenId

/** The open tests of the instrument: all, or those of the specimens on a rack in their order. */
export const WorkListCard = ({ instrument }: { instrument: Instrument }) => {
  const params = { id: instrument.id }
  const [text, setText] = useState('')
  const [rack, setRack] = useState<string[]>([])
  const query = useQuery(read(routes.workList, { params, query: rack.length > 0 ? { specimens: rack.join(',') } : {} }))
  const print = useSave(routes.printWorkList, { isSilent: true, isImmediate: true })
  const send = useSave(routes.sendWorkList, { isImmediate: true })
  const [isBusy, whileBusy] = useBusy()
  const canSend = instrument.protocol === 'ASTM' && instrument.linkState === 'CONNECTED'
  const isEmpty = !query.data?.data.some(({ reqId }) => reqId !== null)
  return (
    <>
      <Card title="Rack">
        <FieldInput
          field={{
            name: 'specimens',
            label: 'Specimens on the rack',
            kind: 'multiline',
            hint: 'One on each line, in the order of their places; empty for all that is open in the laboratory',
          }}
          value={text}
          onChange={(value) => setText(String(value))}
        />
        <Button onClick={() => setRack(text.split(/[\s,;]+/).filter(Boolean))}>Show work list</Button>
      </Card>
      <CardTable
        title="Work list"
        query={query}
        columns={columnsOf(instrument.labZone)}
        rowId={rowId}
        rowName={rowName}
        empty="Nothing is open for this instrument."
        actions={
          <>
            <ActionButton
              isBusy={isBusy}
              disabled={isEmpty}
              onClick={() =>
                whileBusy(async () => openFile((await print({ params, body: { specimens: rack } })).data.url))
              }
            >
              Print
            </ActionButton>
            {canSend && (
              <ActionButton
                variant="contained"
                isBusy={isBusy}
                disabled={isEmpty}
                onClick={() => whileBusy(() => send({ params, body: { specimens: rack } }))}
              >
                Send to the instrument
              </ActionButton>
            )}
          </>
        }
      />
    </>
  )
}

const columnsOf = (labZone: string): readonly Column<WorkListRow>[] => [
  { key: 'position', header: 'Place', width: 70, align: 'right', cell: ({ position }) => position },
  {
    key: 'specimenId',
    header: 'Specimen',
    width: 130,
    card: 'title',
    cell: ({ specimenId, reqId }) =>
      reqId === null ? specimenId : <Link to={`/requisitions/${reqId}/show/tests`}>{specimenId}</Link>,
  },
  { key: 'patientName', header: 'Patient', width: 200, cell: ({ patientName }) => patientName },
  {
    key: 'collectedAt',
    header: 'Collected',
    width: 150,
    cell: ({ collectedAt }) => collectedAt && <Timestamp at={collectedAt} zone={labZone} />,
  },
  {
    key: 'tests',
    header: 'Tests',
    width: 260,
    cell: ({ testCodes, reqId }) => (reqId === null ? 'Nothing open' : testCodes.join(', ')),
  },
]
