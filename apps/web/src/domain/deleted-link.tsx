import { can } from '@lis/contract/access/permissions.ts'
import { type DeletedKindCode, deletedKinds } from '@lis/contract/resources.ts'
import Button from '@mui/material/Button'
import IconButton from '@mui/material/IconButton'
import { useTheme } from '@mui/material/styles'
import useMediaQuery from '@mui/material/useMediaQuery'
import { Link } from 'react-router'
import { writeListAddress } from '../lib/list-address.ts'
import { useRole } from '../lib/session.ts'
import { TrashIcon } from '../ui/table/table-icons.tsx'

/** Link from a list to its deleted records, for users who may restore them. */
export const DeletedLink = ({ kind }: { kind: DeletedKindCode }) => {
  const mayRestore = can(useRole(), 'records.restore')
  const isPhone = useMediaQuery(useTheme().breakpoints.down('sm'), { noSsr: true })
  if (!mayRestore) return null
  const filters = [{ id: 'kind', value: kind, viewValue: deletedKinds[kind] }]
  const to = { pathname: '/deleted', search: String(writeListAddress(new URLSearchParams(), { filters })) }
  if (isPhone) {
    return (
      <IconButton component={Link} to={to} aria-label="Deleted">
        <TrashIcon />
      </IconButton>
    )
  }
  return (
    <Button variant="text" component={Link} to={to} startIcon={<TrashIcon />}>
      Deleted
    </Button>
  )
}
