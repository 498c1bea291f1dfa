import { can } from '@lis/contract/access/permissions.ts'
import { type Board, boardRoutes } from '@lis/contract/boards.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { z } from 'zod'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { useSave } from '../../lib/use-save.ts'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Banner } from '../../ui/form/banner.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'

const List = styled('ul')({
  margin: 0,
  padding: 0,
  listStyle: 'none',
  '& li': { display: 'flex', alignItems: 'center', gap: 8, padding: '4px 0' },
  '& li > span': { flex: '1 1 auto' },
})
const schema = z.object({
  boardName: z.string().trim().min(1, 'Board Name is required').max(100),
  labId: z.coerce.number({ error: 'Laboratory is required' }).int().positive('Laboratory is required'),
})
const fields: readonly FieldDef[] = [
  { name: 'boardName', label: 'Board Name', kind: 'text', isRequired: true },
  { name: 'labId', label: 'Laboratory', kind: 'select', lookup: 'labs', isRequired: true },
]

/** The wall boards; the address of each is shown once. */
export const BoardsCard = () => (can(useRole(), 'boards.manage') ? <Boards /> : null)

const Boards = () => {
  const { data } = useQuery(read(boardRoutes.list))
  const create = useSave(boardRoutes.create)
  const remove = useSave(boardRoutes.remove, { failure: 'error' })
  const [isAdding, setAdding] = useState(false)
  const [ended, setEnded] = useState<Board | null>(null)
  const [url, setUrl] = useState<string | null>(null)
  const boards = data?.data ?? []
  return (
    <Card title="Wall Boards" actions={<Button onClick={() => setAdding(true)}>Add Board</Button>}>
      {url && (
        <Banner type="info">
          Open this address on the screen. It is shown only now: <a href={url}>{url}</a>
        </Banner>
      )}
      {boards.length === 0 && <p style={{ color: 'var(--text-3)' }}>No board yet</p>}
      <List>
        {boards.map((board) => (
          <li key={board.id}>
            <span>
              {board.boardName}, {board.labName}
            </span>
            <Button onClick={() => setEnded(board)}>Delete</Button>
          </li>
        ))}
      </List>
      {isAdding && (
        <FormDialog
          title="Add Board"
          submitLabel="Create"
          schema={schema}
          fields={fields}
          onSubmit={async (body) => {
            const reply = await create({ body })
            setUrl(reply.data.url)
          }}
          onClose={() => setAdding(false)}
        />
      )}
      {ended && (
        <ConfirmDialog
          isOpen
          isDestructive
          title={`Delete ${ended.boardName}?`}
          confirmLabel="Delete"
          onConfirm={async () => {
            await remove({ params: { id: ended.id } })
            setEnded(null)
          }}
          onCancel={() => setEnded(null)}
        >
          The screen no longer shows anything.
        </ConfirmDialog>
      )}
    </Card>
  )
}
