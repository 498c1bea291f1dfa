import { type InstrumentMessage, instrumentResultRoutes as routes } from '@lis/contract/instrument-results.ts'
import Button from '@mui/material/Button'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { Link } from 'react-router'
import { read } from '../../lib/query.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Loaded } from '../../ui/form/record-page.tsx'
import { WarningIcon } from '../../ui/icons.tsx'
import { RawMessage } from '../../ui/raw-message.tsx'
import { CardTable } from '../../ui/table/card-table.tsx'
import type { Column } from '../../ui/table/column.ts'
import { allRows, readList } from '../../ui/table/read-list.ts'
import { Timestamp } from '../../ui/timestamp.tsx'

const idOf = ({ id }: InstrumentMessage) => String(id)
const nameOf = ({ id }: InstrumentMessage) => `Message ${id}`
const newest = 50
const refreshMs = 30_000

interface MessagesCardProps {
  instrumentId: number
  labZone: string
}

/** The messages from and to the instrument, newest first. */
export const MessagesCard = ({ instrumentId, labZone }: MessagesCardProps) => {
  const [openId, setOpenId] = useState<number | null>(null)
  const query = useQuery({
    ...readList(routes.messages, undefined, {
      ...allRows,
      perPage: newest,
      filters: { instrumentId: String(instrumentId) },
    }),
    refetchInterval: refreshMs,
  })
  const columns: readonly Column<InstrumentMessage>[] = [
    {
      key: 'receivedAt',
      header: 'Time',
      width: 150,
      card: 'title',
      cell: ({ receivedAt }) => <Timestamp at={receivedAt} zone={labZone} />,
    },
    {
      key: 'direction',
      header: 'Direction',
      width: 90,
      cell: ({ direction }) => (direction === 'IN' ? 'From it' : 'To it'),
    },
    { key: 'state', header: 'State', width: 110, cell: ({ state }) => <State state={state} /> },
    { key: 'resultCount', header: 'Results', width: 80, align: 'right', cell: ({ resultCount }) => resultCount },
    { key: 'reason', header: 'Reason', width: 300, cell: ({ reason }) => reason },
    {
      key: 'open',
      header: 'Text',
      width: 80,
      cell: ({ id }) => (
        <Button size="small" variant="text" aria-label={`Open message ${id}`} onClick={() => setOpenId(id)}>
          Open
        </Button>
      ),
    },
  ]
  return (
    <>
      <CardTable
        title={query.data && query.data.total > newest ? `The latest ${newest} messages` : 'Messages'}
        query={query}
        columns={columns}
        rowId={idOf}
        rowName={nameOf}
        empty="No messages yet."
      />
      {openId !== null && <MessageDialog id={openId} onClose={() => setOpenId(null)} />}
    </>
  )
}

const State = ({ state }: { state: InstrumentMessage['state'] }) =>
  state === 'COMPLETE' ? (
    'Complete'
  ) : (
    <span style={{ display: 'inline-flex', alignItems: 'center', gap: 4, color: 'var(--warning)', fontWeight: 600 }}>
      <WarningIcon size={12} />
      Incomplete
    </span>
  )

const MessageDialog = ({ id, onClose }: { id: number; onClose: () => void }) => {
  const titleId = useId()
  const query = useQuery(read(routes.message, { params: { id } }))
  return (
    <Dialog
      open
      onClose={onClose}
      aria-labelledby={titleId}
      slotProps={{ paper: { sx: { width: 660, maxWidth: '96vw' } } }}
    >
      <DialogTitle id={titleId}>Message {id}</DialogTitle>
      <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 3 }}>
        <Loaded query={query}>
          {({ data }) => (
            <>
              {data.requisitions.length > 0 && (
                <p>
                  Requisitions:{' '}
                  {data.requisitions.map(({ reqId }, index) => (
                    <span key={reqId}>
                      {index > 0 && ', '}
                      <Link to={`/requisitions/${reqId}/show/tests`}>#{reqId}</Link>
                    </span>
                  ))}
                </p>
              )}
              <RawMessage>{data.raw.replaceAll('\r', '\n')}</RawMessage>
            </>
          )}
        </Loaded>
      </DialogContent>
      <DialogActions>
        <Button variant="contained" onClick={onClose}>
          Close
        </Button>
      </DialogActions>
    </Dialog>
  )
}
