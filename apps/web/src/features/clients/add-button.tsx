import { can } from '@lis/contract/access/permissions.ts'
import Button from '@mui/material/Button'
import { useRole } from '../../lib/session.ts'
import { PlusIcon } from '../../ui/table/table-icons.tsx'

/** Adds to the open tab; not there for those who may not change clients. */
export const AddButton = ({ label, onClick }: { label: string; onClick: () => void }) =>
  can(useRole(), 'clients.write') && (
    <Button startIcon={<PlusIcon />} onClick={onClick}>
      {label}
    </Button>
  )
