import type { ClientRow } from '@lis/contract/clients.ts'
import { styled } from '@mui/material/styles'
import { CloseIcon } from '../../ui/icons.tsx'
import { clientName } from './client-columns.tsx'

const List = styled('ul')(({ theme }) => ({
  display: 'flex',
  flexWrap: 'wrap',
  gap: 6,
  margin: 0,
  padding: 0,
  maxHeight: 92,
  overflowY: 'auto',
  listStyle: 'none',
  '& > li': {
    display: 'flex',
    alignItems: 'center',
    height: 24,
    padding: '0 2px 0 8px',
    borderRadius: 'var(--r-sm)',
    background: 'var(--p-100)',
    color: 'var(--p)',
  },
  '& button': {
    display: 'grid',
    placeItems: 'center',
    width: 24,
    height: 24,
    padding: 0,
    border: 0,
    background: 'none',
    color: 'inherit',
    cursor: 'pointer',
  },
  [theme.breakpoints.down('sm')]: { '& > li': { height: 36 }, '& button': { width: 44, height: 36 } },
}))

interface ChosenClientsProps {
  clients: readonly ClientRow[]
  onRemove: (id: number) => void
}

export const ChosenClients = ({ clients, onRemove }: ChosenClientsProps) => {
  if (clients.length === 0) return null
  return (
    <List aria-label="Chosen clients">
      {clients.map((client) => (
        <li key={client.id}>
          {clientName(client)}
          <button type="button" aria-label={`Remove ${clientName(client)}`} onClick={() => onRemove(client.id)}>
            <CloseIcon size={12} />
          </button>
        </li>
      ))}
    </List>
  )
}
