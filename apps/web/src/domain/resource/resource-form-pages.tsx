import { type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'
import type { z } from 'zod'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import { DeleteRecordButton } from '../../ui/form/delete-record-button.tsx'
import { useBackToRecord } from '../../ui/form/edit-link.tsx'
import type { FieldDef, Values } from '../../ui/form/field-types.ts'
import { RecordForm } from '../../ui/form/record-form.tsx'
import { RecordPage } from '../../ui/form/record-page.tsx'
import { type AnyItem, type Resource, showAddress } from './resource.ts'
import { LoadedItem, useResourceItem } from './resource-show-page.tsx'

interface FormOptions {
  schema: z.ZodType
  fields: readonly FieldDef[]
}

interface CreatePageProps<Created extends { id: number }> extends FormOptions {
  resource: Resource<{ id: number }, AnyItem, Created>
  /** Heading of the form. */
  title: string
  /** By default the new record's page opens. */
  onCreated?: (created: Created) => void
  children?: ReactNode
}

export const ResourceCreatePage = <Created extends { id: number }>(props: CreatePageProps<Created>) => {
  const { resource, title, schema, fields, children } = props
  const create = useSave(resource.routes.create)
  const navigate = useNavigate()
  const { onCreated = ({ id }: Created) => navigate(showAddress(resource, id), { replace: true }) } = props
  return (
    <RecordPage title={`Create ${resource.itemTitle}`} parent={{ to: `/${resource.path}`, label: resource.title }}>
      <RecordForm
        title={title}
        schema={schema}
        fields={fields}
        submitLabel="Create"
        draftKey={resource.kind}
        onCancel={() => navigate(`/${resource.path}`)}
        onSubmit={async (values) => {
          const { data } = await create({ body: values })
          onCreated(data as Created)
        }}
      />
      {children}
    </RecordPage>
  )
}

interface EditFormProps<Item extends AnyItem> extends FormOptions {
  resource: Resource<{ id: number }, Item>
  /** Heading of the form. */
  titleOf: (item: Item) => string
  submitLabel?: string
  notice?: (values: Values, item: Item) => ReactNode
}

interface EditPageProps<Item extends AnyItem> extends EditFormProps<Item> {
  /** Names the record in the question before it is deleted; without it there is no 'Delete'. */
  subjectOf?: ((item: Item) => string) | undefined
}

export const ResourceEditPage = <Item extends AnyItem>(props: EditPageProps<Item>) => {
  const { subjectOf, ...form } = props
  const { itemTitle, path, routes } = props.resource
  const query = useResourceItem<Item>(props.resource)
  const item = query.data?.data
  return (
    <RecordPage
      title={`Edit ${itemTitle}`}
      parent={{ to: `/${path}`, label: props.resource.title }}
      action={
        item &&
        subjectOf && (
          <DeleteRecordButton
            route={routes.remove}
            id={item.id}
            itemName={itemTitle.toLowerCase()}
            subject={subjectOf(item)}
            listPath={path}
          />
        )
      }
    >
      <LoadedItem resource={props.resource} query={query}>
        {(data) => <EditForm {...form} item={data} />}
      </LoadedItem>
    </RecordPage>
  )
}

const EditForm = <Item extends AnyItem>(props: EditFormProps<Item> & { item: Item }) => {
  const { resource, schema, fields, titleOf, submitLabel = 'Save', notice } = props
  // The form must not change when the record is read again.
  const [item] = useState(props.item)
  const { id } = item
  const update = useSave(resource.routes.update)
  const leave = useBackToRecord(showAddress(resource, id))
  return (
    <RecordForm
      title={titleOf(item)}
      schema={schema}
      fields={fields}
      values={item}
      version={item.version}
      submitLabel={submitLabel}
      draftKey={`${resource.kind}:${id}`}
      {...(notice && { notice: (values: Values) => notice(values, item) })}
      onCancel={() => leave()}
      onSubmit={async (values, { version }) => {
        await update({ params: { id }, body: values, headers: ifMatch(version) })
        leave({ replace: true })
      }}
    />
  )
}
