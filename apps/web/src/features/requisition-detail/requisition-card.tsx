import type { Permission } from '@lis/contract/access/permissions.ts'
import { can } from '@lis/contract/access/permissions.ts'
import { unknownTimeZone } from '@lis/contract/clients.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { canEditRequisition, isStatusCode } from '@lis/contract/requisitions/status.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { Link } from 'react-router'
import { ZoneWarning } from '../../domain/zone-warning.tsx'
import { useRole } from '../../lib/session.ts'
import { Card } from '../../ui/card.tsx'
import { useInlineForm } from '../../ui/form/form-focus.ts'
import { InfoList } from '../../ui/form/info-list.tsx'
import { EditIcon } from '../../ui/icons.tsx'
import { Timestamp } from '../../ui/timestamp.tsx'
import { DuplicateButton } from './duplicate-button.tsx'
import { RequisitionEditCard } from './requisition-edit-card.tsx'

const personName = (last: string | null, first: string | null, title = '') =>
  last === null ? null : `${last}, ${first ?? ''} ${title}`.trim()

/** A link for users who may open it (DETAIL-G19). */
const PermittedLink = ({ to, needs, name }: { to: string; needs: Permission; name: string | null }) => {
  const role = useRole()
  if (name === null) return null
  return can(role, needs) ? <Link to={to}>{name}</Link> : name
}

const salesCodes = (json: string) =>
  (JSON.parse(json) as { salesReps: { salesRepCode: string }[] }).salesReps
    .map(({ salesRepCode }) => salesRepCode)
    .join(', ')

export const RequisitionCard = ({ requisition }: { requisition: RequisitionDetail }) => {
  const role = useRole()
  const form = useInlineForm()
  const code = requisition.reqStatusCode
  const mayEdit = isStatusCode(code) && canEditRequisition(role, code)
  if (form.isOpen && mayEdit) return <RequisitionEditCard requisition={requisition} onEnd={form.close} />
  const edit = mayEdit && (
    <Button ref={form.ref} variant="text" startIcon={<EditIcon />} onClick={form.open}>
      Edit
    </Button>
  )
  return (
    <Card title="Requisition Information" actions={edit}>
      <Information requisition={requisition} />
      {can(role, 'requisitions.duplicate') && (
        <Foot>
          <DuplicateButton requisition={requisition} />
        </Foot>
      )}
    </Card>
  )
}

const Foot = styled('div')({ margin: '12px -12px -12px', padding: 12, borderTop: '1px solid var(--line)' })

const Information = ({ requisition: req }: { requisition: RequisitionDetail }) => (
  <InfoList
    items={[
      ['Accession #', <b key="id">{req.reqId}</b>],
      [
        'Collaborator',
        <PermittedLink
          key="cola"
          to={`/collaborators/${req.colaId}/show`}
          needs="collaborators.read"
          name={req.colaName}
        />,
      ],
      [
        'Client',
        <span key="client">
          <PermittedLink to={`/clients/${req.clientId}/show`} needs="clients.read" name={req.clientName} />{' '}
          <span style={{ color: 'var(--text-3)' }}>{req.legacyClientId}</span>
          {req.clientTz === unknownTimeZone && <ZoneWarning />}
        </span>,
      ],
      ['Sales Rep.', salesCodes(req.salesJson)],
      [
        'Ordering Physician',
        <PermittedLink
          key="phys"
          to={`/physicians/${req.physId}/show`}
          needs="physicians.read"
          name={personName(req.physLastName, req.physFirstName, req.physTitle)}
        />,
      ],
      ['Copy to Client', req.copyToClientName],
      [
        'Copy to Physician',
        req.copyToPhysId === null ? null : (
          <PermittedLink
            key="copy"
            to={`/physicians/${req.copyToPhysId}/show`}
            needs="physicians.read"
            name={personName(req.copyToPhysLastName, req.copyToPhysFirstName)}
          />
        ),
      ],
      ['Client Event', req.eventName],
      ['Lab', req.labName],
      ['Ext. Order ID', req.extOrderId],
      ['Ext. Accession ID', req.extAccessionId],
      ['Fasting', req.isFasting === null ? null : req.isFasting === 1 ? 'Yes' : 'No'],
      [
        'Date Collected',
        req.isToCollect === 1 ? (
          'Not collected yet'
        ) : (
          <Timestamp
            key="collected"
            at={req.dateCollected}
            zone={req.collectedTz}
            also={[{ label: 'Lab', zone: req.labTz }]}
          />
        ),
      ],
      ['Time Centrifuged', req.timeCentrifuged && `${req.timeCentrifuged} ${req.collectedTzAbbr}`],
      ['Collection Method', req.collectDesc],
      ['Collected By', req.collectedBy],
    ]}
  />
)
