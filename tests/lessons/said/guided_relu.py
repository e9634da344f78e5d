"""What the title says of eight relus under a rule."""


def changed(s, some, all, wrong="0"):
    trick, true, meant = (s.result[f"{role}_gradient"].y for role in ("trick", "true", "intended"))
    counts = (trick != true).sum(), len(s.x), (trick != meant).sum()
    return (int(some), int(all), int(wrong)) == counts


SAYS = {"relus_title": changed, "relus_wrong": changed}
SILENT = ("relus_subject",)
