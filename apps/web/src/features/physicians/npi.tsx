import { isNpi, type PhysicianRow, physicianMessages } from '@lis/contract/physicians.ts'
import Tooltip from '@mui/material/Tooltip'
import { Banner } from '../../ui/form/banner.tsx'
import type { Values } from '../../ui/form/field-types.ts'
import { WarningIcon } from '../../ui/icons.tsx'

/** A physician's NPI; an invalid one has a warning icon. */
export const Npi = ({ physician: { npiNumber, isNpiValid } }: { physician: PhysicianRow }) => {
  if (isNpiValid !== 0) return npiNumber
  return (
    <span style={{ display: 'inline-flex', alignItems: 'center', gap: 6 }}>
      {npiNumber}
      <Tooltip title={physicianMessages.npiCheck}>
        <span role="img" aria-label={physicianMessages.npiCheck} style={{ display: 'inline-grid' }}>
          <WarningIcon size={14} style={{ color: 'var(--warning)' }} />
        </span>
      </Tooltip>
    </span>
  )
}

/** A warning before saving: the number is complete, but its check digit is wrong. It can be saved anyway. */
export const npiNotice = ({ npiNumber }: Values) =>
  typeof npiNumber === 'string' && /^[0-9]{10}$/.test(npiNumber.trim()) && !isNpi(npiNumber.trim()) ? (
    <Banner type="warning">{physicianMessages.npiCheck}</Banner>
  ) : null
