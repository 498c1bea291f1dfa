import { can } from '@lis/contract/access/permissions.ts'
import Button from '@mui/material/Button'
import { useRole } from '../../lib/session.ts'
import { PlusIcon } from '../../ui/table/table-icons.tsx'

/** Opens the add form of the current tab; hidden for users who may not edit clients. */
export const AddButton = ({ label, onClick }: { label: string; onClick: () => void }) =>
  can(useRole(), 'clients.write') && (
    <Button startIcon={<PlusIcon />} onClick={onClick}>
      {label}
    </Button>
  )
